import type { AuthUrl, Secret, TokenKindId } from "../tokens";
import type { Limits } from "./limits";

/** An IAM token with its properties. */
export interface IssuedToken {
  readonly token: Secret;
  readonly kind: TokenKindId;
  /** By the service's clock. */
  readonly issuedAt: Date;
  /** By the service's clock. */
  readonly expiresAt: Date;
  /** Milliseconds that were left when the answer arrived, by the service's clock. */
  readonly remainingMs: number;
  readonly authUrl: AuthUrl;
  /** Of the token's user, and of its project, as the answer says. */
  readonly userId?: string;
  readonly projectId?: string;
  /** The end of the application credential, if the token ends with it. */
  readonly credentialEndsAt?: Date;
  /** From the answer with the token; only if its form is safe to print. */
  readonly requestId?: string;
  /** Sentences for the user, for instance about a wrong clock. */
  readonly warnings: readonly string[];
}

/** What a service has issued, with a lifetime that does not depend on which clock is right. */
interface Timed<Issued> {
  readonly issued: Issued;
  /** When the answer arrived, by this machine's clock. */
  readonly receivedAt: number;
}

/** An IAM token. */
export interface TimedToken extends Timed<IssuedToken> {
  /** When the unscoped token that it was made of arrived: they end together. */
  readonly signedInAt?: number;
}

/** An unscoped token: it only requests tokens with a scope. It is never written anywhere. */
export type UnscopedToken = Timed<
  Pick<IssuedToken, "token" | "issuedAt" | "expiresAt" | "remainingMs">
>;

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
