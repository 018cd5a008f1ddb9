import type { Limits } from "../../../lib/identity";
import type { FaultEntry } from "../../../lib/testing";
import type { ErrorCode } from "../../../lib/tokens";
import type { Behaviour } from "../support/connect-proxy";

/**
 * What a service, a proxy or a network does to a request for a token, and what our client makes of
 * it.
 */
export interface FaultRow {
  /** What happens, in words. */
  readonly fault: string;
  /** What the first, the second … request meets; the service is well afterwards. */
  readonly script: readonly FaultEntry[];
  /** A proxy on the way, and what it does. */
  readonly proxy?: Behaviour;
  readonly https?: boolean;
  /** What is asked for. Default: an account token. */
  readonly ask?: "account" | "project";
  readonly minRemainingHours?: number;
  /** Small ones for what is ended by them alone: real time passes then. */
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
  /** What it ends with. */
  readonly ends: ErrorCode | "token";
  /** Of a token: the hours that it says to live. Default: 24. */
  readonly lives?: number;
  /** A part of the message, or of the token's warnings. */
  readonly says?: string;
  /**
   * The next reference to the same token in the same process. Default: after a token or a 401
   * remembers, else asks again.
   */
  readonly afterwards?: "remembers" | "asks again";
}

/** So many requests meet the same. */
export function times(count: number, entry: FaultEntry): FaultEntry[] {
  return Array.from({ length: count }, () => entry);
}
