import type { TimedToken, UnscopedToken } from "../issued-token";
import type { Limits } from "../limits";

/**
 * Milliseconds that a token has left at a time of this machine's clock. If the clock was set back,
 * nothing is known, and the token counts as expired.
 */
export function remainingAt(
  { issued, receivedAt }: TimedToken | UnscopedToken,
  now: number,
): number {
  const passed = now - receivedAt;
  return passed < 0 ? 0 : issued.remainingMs - passed;
}

/**
 * Whether a cached token may be reused: it has at least `minRemainingMs` left, or by default 2
 * hours or half of a shorter lifetime.
 */
export function isReusable(
  token: TimedToken | UnscopedToken,
  minRemainingMs: number | undefined,
  now: number,
  limits: Limits,
): boolean {
  const lifetimeMs = token.issued.expiresAt.getTime() - token.issued.issuedAt.getTime();
  const left = remainingAt(token, now);
  return left > 0 && left >= (minRemainingMs ?? Math.min(limits.reuseMs, lifetimeMs / 2));
}
