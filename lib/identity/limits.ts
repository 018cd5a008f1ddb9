import { IAM_TOKEN_LIFETIME_MS, TOKEN_LENGTH } from "../tokens";

/** How long a silent service is not asked what can wait: the next request would wait as long. */
export const SILENCE_MS = 30_000;

/** All numbers that govern requests to the identity service. Times are milliseconds. */
const DEFAULTS = {
  /** Time until a connection is ready: name, TCP, proxy and TLS. */
  connectMs: 5_000,
  /** One attempt, from connecting to the end of the answer. */
  requestMs: 10_000,
  /** The one attempt to ask whether a token is valid. */
  validateMs: 5_000,
  /** How long the answer with a token of its own is waited for, when nobody wants it any more. */
  lingerMs: 1_000,
  /**
   * All attempts of an operation and the waits between them; waiting for a free connection does
   * not count.
   */
  totalMs: 20_000,
  /** Upper limit of the wait after the first attempt; doubles with each further one. */
  backoffBaseMs: 250,
  /** The wait never exceeds this, except for Retry-After. */
  backoffCapMs: 8_000,
  /** How long the first, the second and any further 401 to a credential is remembered. */
  refusalMs: [2_000, 10_000, 60_000] as readonly number[],
  /** Within this time, a new request would not return a token that lives longer. */
  freshMs: 60_000,
  /** Longest lifetime of an IAM token, from its issue. */
  lifetimeMs: IAM_TOKEN_LIFETIME_MS,
  /** A cached token is reused while this, or half of a shorter lifetime, is left. */
  reuseMs: 2 * 60 * 60 * 1000,
  /** A difference between this machine's clock and the service's that causes no warning. */
  clockToleranceMs: 60_000,
  /** Operations at one service in progress; further ones wait in turn. */
  connections: 8,
  /** Remembered tokens and rejections; the least recently used is dropped first. */
  cacheEntries: 1024,
  /** Bytes that a connection may bring, whatever they are. */
  connectionBytes: 2 * 1024 * 1024,
  /** Of an answer's headers. */
  headerBytes: TOKEN_LENGTH,
};

/** The same, for tests with other numbers. */
export type Limits = Readonly<typeof DEFAULTS>;

/** The defaults, replaced by the given values. */
export const limitsOf = (given: Partial<Limits> = {}): Limits => ({ ...DEFAULTS, ...given });

/** Whether `since` is less than this long ago. False if it is to come: the clock was set back. */
export function isWithin(milliseconds: number, since: number, now: number): boolean {
  return now >= since && now - since < milliseconds;
}
