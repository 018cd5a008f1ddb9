/**
 * The three kinds of token, by the identifiers of the service.
 *
 * @see docs/api/product-areas.md
 */
export const TOKEN_KINDS = [
  "iam_token_account_scoped",
  "iam_token_project_scoped",
  "static_token",
] as const;

/** One of {@link TOKEN_KINDS}. */
export type TokenKindId = (typeof TOKEN_KINDS)[number];

/** The kind of token that is issued for a scope. */
export const KIND_OF_SCOPE = {
  account: "iam_token_account_scoped",
  project: "iam_token_project_scoped",
} as const satisfies Record<string, TokenKindId>;

/**
 * The name of the request header for a token of this kind: `X-Auth-Token` for IAM tokens, `X-Token`
 * for static ones.
 *
 * @see docs/using-tokens.md
 */
export function headerNameOf(kind: TokenKindId): "X-Auth-Token" | "X-Token" {
  return kind === "static_token" ? "X-Token" : "X-Auth-Token";
}

/** How long an IAM token lives, in milliseconds: 24 hours. Static tokens have no expiry. */
export const IAM_TOKEN_LIFETIME_MS = 24 * 60 * 60 * 1000;

/**
 * Characters of a token: as many as the headers of the answer that brings it may have. A service
 * that signs a token with its roles and its catalog makes some of 20,000.
 */
export const TOKEN_LENGTH = 32 * 1024;

/** Attributes of an IAM token that the service decides; none of them is a secret. */
export const TOKEN_DETAILS = [
  "issued_at",
  "expires_at",
  "fingerprint",
  "auth_url",
  "project_id",
  "user_id",
] as const;
