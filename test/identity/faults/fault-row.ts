import type { Limits } from "../../../lib/identity";
import type { Intercept } from "../../../lib/testing";
import type { ErrorCode } from "../../../lib/tokens";
import type { Behaviour } from "../support/connect-proxy";
import type { TlsFault } from "../support/tls-front";

/** What a request meets (test/identity/faults/faults.ts), or its connection. Null: no fault. */
export type Fault = Intercept | { readonly tls: TlsFault } | null;

/**
 * A fault of a service, a proxy or a network during a request for a token, and our client's
 * reaction.
 */
export interface FaultRow {
  /** Description. */
  readonly fault: string;
  /** Faults of the first, the second … request; the service is well afterwards. */
  readonly script: readonly Fault[];
  /** A proxy on the way, with its behaviour. */
  readonly proxy?: Behaviour;
  readonly https?: boolean;
  /** Small ones for faults that only they can end: real time passes then. */
  readonly limits?: Partial<Limits>;

  /** How often the service is asked. Default: as often as the time allows. */
  readonly tries?: number;
  /**
   * The waits between them, in milliseconds, as the chance in the middle has them. Default: none,
   * or any if it is tried as often as the time allows.
   */
  readonly waits?: readonly number[];
  /** Until the time is over: a further wait lasts until a second before its end. */
  readonly isTriedAgain?: boolean;
  /** The outcome. */
  readonly ends: ErrorCode | "token";
  /**
   * A part of the message. `{requestMs}` stands for the limit that the
   * row was played with, in seconds.
   */
  readonly says?: string;
}

/** So many requests meet the same. */
export function times(count: number, entry: Fault): Fault[] {
  return Array.from({ length: count }, () => entry);
}

/** The waits between ten tries, before the last wait, which takes the rest of the time. */
export const BACKOFF = [125, 250, 500, 1000, 2000, 4000, 4000, 4000];
const TRIES = BACKOFF.length + 2;

/** As often as the time allows. */
export const UNTIL_THE_END = { tries: TRIES, waits: BACKOFF, isTriedAgain: true } as const;

/** A limit that ends what would never end by itself. */
export const IMPATIENT = { requestMs: 250 };

// The common rows; `more` has the rest of one.

/** One fault decides at once: no further try. */
export const once = (
  fault: string,
  entry: Fault,
  ends: FaultRow["ends"],
  more: Partial<FaultRow> = {},
): FaultRow => ({ fault, script: [entry], tries: 1, ends, ...more });

/** The try after one fault gets the token. */
export const passing = (
  fault: string,
  entry: Fault,
  waitMs: number,
  more: Partial<FaultRow> = {},
): FaultRow => ({ fault, script: [entry], tries: 2, waits: [waitMs], ends: "token", ...more });

/** Every try meets the same, until the time for all of them is over. */
export const forEver = (
  fault: string,
  entry: Fault,
  ends: FaultRow["ends"],
  more: Partial<FaultRow> = {},
): FaultRow => ({
  fault: `${fault}, for ever`,
  // More than there is time for, however slow the machine.
  script: times(2 * TRIES, entry),
  // A limit of real time takes a part of the time for all tries.
  ...(more.limits === undefined ? UNTIL_THE_END : { isTriedAgain: true }),
  ends,
  ...more,
});
