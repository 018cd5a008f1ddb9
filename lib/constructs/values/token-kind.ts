/**
 * The kinds of token, by the identifiers of the service.
 *
 * @see docs/product-areas.md
 */
export enum TokenKind {
  /**
   * For resources bound to the account; issued to service users; 24 hours; sent in X-Auth-Token.
   */
  IAM_TOKEN_ACCOUNT_SCOPED = "iam_token_account_scoped",
  /**
   * For resources bound to one project; issued to service users; 24 hours; sent in X-Auth-Token.
   */
  IAM_TOKEN_PROJECT_SCOPED = "iam_token_project_scoped",
  /** For resources bound to the account; made in the control panel; no expiry; sent in X-Token. */
  STATIC_TOKEN = "static_token",
}
