import type { RateLimit, StatusFault } from "./fault";

/** Counts the token requests of a second of the service's clock. */
export class RateLimiter {
  readonly #limit: RateLimit;
  #second = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(limit: RateLimit) {
    this.#limit = limit;
  }

  /** The refusal of a request that is one too many; undefined for one that may pass. */
  refuse(now: number): StatusFault | undefined {
    const second = Math.floor(now / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#count = 0;
    }
    if (this.#count < this.#limit.issuesPerSecond) {
      this.#count++;
      return undefined;
    }
    return { kind: "status", status: 429, retryAfter: this.#limit.retryAfter ?? 1 };
  }
}
