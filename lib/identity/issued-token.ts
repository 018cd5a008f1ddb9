import {
  type AuthUrl,
  formatApart,
  IamTokensError,
  type Secret,
  type TokenKindId,
  words,
} from "../tokens";
import { type IssueRequest, PLAIN } from "./credential";
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
  /** When the answer arrived, by this machine's clock. */
  readonly receivedAt: number;
  readonly authUrl: AuthUrl;
  /** Of the token's user, and of its project, as the answer says. */
  readonly userId?: string;
  readonly projectId?: string;
  /** The end of the application credential, if the token ends with it. */
  readonly credentialEndsAt?: Date;
  /** When the password ends by which it was issued, if the service says so. */
  readonly passwordEndsAt?: Date;
  /** From the answer with the token; only if its form is safe to print. */
  readonly requestId?: string;
  /** Sentences for the user, for instance about a wrong clock. */
  readonly warnings: readonly string[];
}

/** The same, as a client remembers it. */
export interface TimedToken extends IssuedToken {
  /** When the unscoped token that it was made of arrived: they end together. */
  readonly signedInAt?: number;
}

/** An unscoped token: it only requests tokens with a scope. It is never written anywhere. */
export type UnscopedToken = Pick<
  TimedToken,
  "token" | "issuedAt" | "expiresAt" | "remainingMs" | "receivedAt"
>;

/**
 * Milliseconds that a token has left at a time of this machine's clock. If the clock was set back,
 * nothing is known, and the token counts as expired.
 */
export function remainingAt({ remainingMs, receivedAt }: UnscopedToken, now: number): number {
  const passed = now - receivedAt;
  return passed < 0 ? 0 : remainingMs - passed;
}

/**
 * Whether a cached token may be reused: it has at least `minRemainingMs` left, or by default 2
 * hours or half of a shorter lifetime.
 */
export function isReusable(
  token: UnscopedToken,
  minRemainingMs: number | undefined,
  now: number,
  limits: Limits,
): boolean {
  const lifetimeMs = token.expiresAt.getTime() - token.issuedAt.getTime();
  const left = remainingAt(token, now);
  return left > 0 && left >= (minRemainingMs ?? Math.min(limits.reuseMs, lifetimeMs / 2));
}

/** @throws ERR_LIFETIME_TOO_SHORT if even a new token had less than the requested lifetime */
export function assertLifetime(
  { authUrl, credentialEndsAt, remainingMs }: IssuedToken,
  { minRemainingMs, terms = PLAIN }: IssueRequest,
): void {
  if (minRemainingMs === undefined || remainingMs >= minRemainingMs) return;
  const wholeSeconds = Math.floor(remainingMs / 1000) * 1000;
  const [lives, least] = formatApart(wholeSeconds, minRemainingMs);
  const end = credentialEndsAt?.toISOString();
  throw new IamTokensError(
    "ERR_LIFETIME_TOO_SHORT",
    words`A new token of ${authUrl.tokens} lives ${lives}, but ${terms.minRemaining} is ${least}.`,
    end === undefined
      ? {}
      : {
          more: `The application credential ends at ${end}.`,
          remedy: words`Create another application credential, or give a smaller ${terms.minRemaining}.`,
        },
  );
}
