import { IAM_TOKEN_LIFETIME_MS } from "../tokens";

/** All numbers that govern requests to the identity service. Times are milliseconds. */
export interface Limits {
  /** Time until a connection is ready: name, TCP, proxy and TLS. @default 5 s */
  readonly connectMs: number;
  /** One attempt, from connecting to the end of the answer. @default 10 s */
  readonly requestMs: number;
  /**
   * All attempts of an operation and the waits between them; waiting for a free connection does not
   * count. @default 20 s
   */
  readonly totalMs: number;
  /**
   * Upper limit of the wait after the first attempt; doubles with each further one. @default 250 ms
   */
  readonly backoffBaseMs: number;
  /** The wait never exceeds this, except for Retry-After. @default 8 s */
  readonly backoffCapMs: number;
  /** The longest Retry-After that is followed. @default 60 s */
  readonly retryAfterMs: number;
  /** How long a 401 is remembered for the same credential, scope and address. @default 60 s */
  readonly rejectionMemoryMs: number;
  /**
   * Longest lifetime of an IAM token, from its issue. @default 24 hours, as the service says
   */
  readonly lifetimeMs: number;
  /**
   * A cached token is reused while this, or half of a shorter lifetime, is left. @default 2 hours
   */
  readonly reuseMs: number;
  /**
   * A difference between this machine's clock and the service's that causes no warning. @default 60
   * s
   */
  readonly clockToleranceMs: number;
  /** Operations at one service in progress; further ones wait in turn. @default 8 */
  readonly connections: number;
  /**
   * Remembered tokens and rejections; the least recently used is dropped first. @default 1024
   */
  readonly cacheEntries: number;
  /** Bytes of an answer's body. @default 1 MiB */
  readonly bodyBytes: number;
  /** Bytes of an answer's headers. @default 32 KiB */
  readonly headerBytes: number;
  /**
   * Characters of a token. A header line of common servers has at most 8 KiB, so a longer one could
   * not be sent. @default 8192
   */
  readonly tokenLength: number;
}

const DEFAULTS: Limits = {
  connectMs: 5_000,
  requestMs: 10_000,
  totalMs: 20_000,
  backoffBaseMs: 250,
  backoffCapMs: 8_000,
  retryAfterMs: 60_000,
  rejectionMemoryMs: 60_000,
  lifetimeMs: IAM_TOKEN_LIFETIME_MS,
  reuseMs: 2 * 60 * 60 * 1000,
  clockToleranceMs: 60_000,
  connections: 8,
  cacheEntries: 1024,
  bodyBytes: 1024 * 1024,
  headerBytes: 32 * 1024,
  tokenLength: 8192,
};

/** The defaults, replaced by the given values. */
export const limitsOf = (given: Partial<Limits> = {}): Limits => ({ ...DEFAULTS, ...given });
