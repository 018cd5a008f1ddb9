import type { Limits } from "../../../lib/identity";
import type { ErrorCode } from "../../../lib/tokens";
import type { Behaviour } from "../support/connect-proxy";
import type { TestFaultEntry } from "./own-faults";

/**
 * A fault of a service, a proxy or a network during a request for a token, and our client's
 * reaction.
 */
export interface FaultRow {
  /** Description. */
  readonly fault: string;
  /** Faults of the first, the second … request; the service is well afterwards. */
  readonly script: readonly TestFaultEntry[];
  /** A proxy on the way, with its behaviour. */
  readonly proxy?: Behaviour;
  readonly https?: boolean;
  /** The requested scope. Default: an account token. */
  readonly ask?: "account" | "project";
  readonly minRemainingHours?: number;
  /** Small ones for faults that only they can end: real time passes then. */
  readonly limits?: Partial<Limits>;
  /**
   * The other end of the wait that is measured, in milliseconds of real time. Default: 5,000, for a
   * busy machine.
   */
  readonly withinMs?: number;

  /** How often the service is asked. */
  readonly tries: number;
  /**
   * The waits between them, in milliseconds, as the chance in the middle has them. Default: none.
   */
  readonly waits?: readonly number[];
  /** A further wait lasts until so many milliseconds after the beginning, for the last try. */
  readonly untilMs?: number;
  /** The outcome. */
  readonly ends: ErrorCode | "token";
  /** Of a token: the hours that it says to live. Default: 24. */
  readonly lives?: number;
  /**
   * A part of the message, or of the token's warnings. `{requestMs}` stands for the limit that the
   * row was played with, in seconds.
   */
  readonly says?: string;
  /**
   * The next reference to the same token in the same process. Default: after a token or a 401
   * remembers, else asks again.
   */
  readonly afterwards?: "remembers" | "asks again";
}

/** So many requests meet the same. */
export function times(count: number, entry: TestFaultEntry): TestFaultEntry[] {
  return Array.from({ length: count }, () => entry);
}

/** The waits between four tries. */
export const BACKOFF = [125, 250, 500];

/** Those of nine, before the last, which takes the rest of the time to reconnect. */
export const RECONNECTING = [...BACKOFF, 1000, 2000, 4000, 4000];

/** A limit that ends what would never end by itself. */
export const IMPATIENT = { requestMs: 150 };

export const status = (
  code: number,
  retryAfter?: number | string | { readonly inSeconds: number },
): TestFaultEntry =>
  retryAfter === undefined
    ? { kind: "status", status: code }
    : { kind: "status", status: code, retryAfter };

// The common rows; `more` has the rest of one.

/** One fault decides at once: no further try. */
export const once = (
  fault: string,
  entry: TestFaultEntry,
  ends: FaultRow["ends"],
  more: Partial<FaultRow> = {},
): FaultRow => ({ fault, script: [entry], tries: 1, ends, ...more });

/** The try after one fault gets the token. */
export const passing = (
  fault: string,
  entry: TestFaultEntry,
  waitMs: number,
  more: Partial<FaultRow> = {},
): FaultRow => ({ fault, script: [entry], tries: 2, waits: [waitMs], ends: "token", ...more });

/** Every try meets the same. */
export const forEver = (
  fault: string,
  entry: TestFaultEntry,
  ends: FaultRow["ends"],
  more: Partial<FaultRow> = {},
): FaultRow => ({
  fault: `${fault}, for ever`,
  script: times(4, entry),
  tries: 4,
  waits: BACKOFF,
  ends,
  ...more,
});

/** Every try to connect meets the same. */
export const neverConnected = (
  fault: string,
  entry: TestFaultEntry,
  more: Partial<FaultRow> = {},
): FaultRow => ({
  fault: `${fault}, for ever`,
  script: times(9, entry),
  tries: 9,
  waits: RECONNECTING,
  untilMs: 15_000,
  ends: "ERR_CONNECTION_FAILED",
  ...more,
});
