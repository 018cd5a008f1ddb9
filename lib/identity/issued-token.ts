import type { AuthUrl, Secret, TokenKindId } from "../tokens";

/** An IAM token, with what is known of it. */
export interface IssuedToken {
  readonly token: Secret;
  readonly kind: TokenKindId;
  /** By the service's clock. */
  readonly issuedAt: Date;
  /** By the service's clock. */
  readonly expiresAt: Date;
  /** Milliseconds that were left when the answer arrived, by the service's own clock. */
  readonly remainingMs: number;
  readonly authUrl: AuthUrl;
  /** Of the answer that carried it; only when it is of a form that is safe to print. */
  readonly requestId?: string;
  /** Sentences for the user, such as a clock that is off. */
  readonly warnings: readonly string[];
}

/** An issued token, with how long it lives independently of whose clock is right. */
export interface TimedToken {
  readonly issued: IssuedToken;
  /** When the answer arrived, by this machine's clock. */
  readonly receivedAt: number;
}
