import type { TriedExchange } from "./retry/exchange";

const NOTHING = {
  /** Tokens that were issued. */
  tokens: 0,
  /** How often a token was returned to a caller. */
  uses: 0,
  /** Of these, with less than an hour left: an apply may outlive the token. */
  briefUses: 0,
  /** Requests to the service for them, including all attempts. */
  requests: 0,
  /** Attempts after the first, of all requests. */
  retries: 0,
  /** Milliseconds spent on requests, including waits between attempts. */
  waitedMs: 0,
};

/** Sums of an identity client's work. */
export type Usage = Readonly<typeof NOTHING>;

const BRIEF_MS = 60 * 60 * 1000;

/** Counts an identity client's work. */
export class UsageJournal {
  readonly #sums = { ...NOTHING };

  /** A request has ended, with or without success. */
  noteRequest({ tries, tookMs }: TriedExchange): void {
    this.#sums.requests += tries;
    this.#sums.retries += Math.max(0, tries - 1);
    this.#sums.waitedMs += tookMs;
  }

  noteIssued(): void {
    this.#sums.tokens += 1;
  }

  /** A token with this much left was returned to a caller. */
  noteUse(remainingMs: number): void {
    this.#sums.uses += 1;
    if (remainingMs < BRIEF_MS) this.#sums.briefUses += 1;
  }

  /** The counts so far. */
  read(): Usage {
    return { ...this.#sums };
  }
}
