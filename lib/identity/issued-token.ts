import type { AuthUrl, Secret, TokenKindId } from "../tokens";

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
  /** From the answer with the token; only if its form is safe to print. */
  readonly requestId?: string;
  /** Sentences for the user, for instance about a wrong clock. */
  readonly warnings: readonly string[];
}

/** An issued token, with a lifetime that does not depend on which clock is right. */
export interface TimedToken {
  readonly issued: IssuedToken;
  /** When the answer arrived, by this machine's clock. */
  readonly receivedAt: number;
}
