import type { TriedExchange } from "./service";

/** Sums of an identity client's work. */
export interface Usage {
  /** Tokens that were issued. */
  tokens: number;
  /** How often a token was returned to a caller. */
  uses: number;
  /** Uses with less than an hour left: an apply may outlive the token. */
  briefUses: number;
  /** Requests to the service for them, including all attempts. */
  requests: number;
  /** Attempts after the first, of all requests. */
  retries: number;
  /** Milliseconds spent on requests, including waits between attempts. */
  waitedMs: number;
}

export const noUsage = (): Usage => ({
  ...{ tokens: 0, uses: 0, briefUses: 0 },
  ...{ requests: 0, retries: 0, waitedMs: 0 },
});

const BRIEF_MS = 60 * 60 * 1000;

/** A request has ended, with or without success. */
export function countRequest(usage: Usage, { tries, tookMs }: TriedExchange): void {
  usage.requests += tries;
  usage.retries += Math.max(0, tries - 1);
  usage.waitedMs += tookMs;
}

/** A token with this much left was returned to a caller. */
export function countUse(usage: Usage, remainingMs: number): void {
  usage.uses += 1;
  if (remainingMs < BRIEF_MS) usage.briefUses += 1;
}
