import type { AttributeSchema } from "../../plugin/provider";
import { computed } from "./attribute";

/** What every kind of token has. */
export const TOKEN_ATTRIBUTES: Readonly<Record<string, AttributeSchema>> = {
  token: computed("string", "The token.", { sensitive: true }),
  header_name: computed(
    "string",
    "The request header that the token is sent in: X-Auth-Token or X-Token, by its kind.",
  ),
  headers: computed(["map", "string"], "The header with the token, as a map.", { sensitive: true }),
  kind: computed("string", "iam_token_account_scoped, iam_token_project_scoped or static_token."),
};

/** What an IAM token has beside. */
export const IAM_TOKEN_ATTRIBUTES: Readonly<Record<string, AttributeSchema>> = {
  ...TOKEN_ATTRIBUTES,
  issued_at: computed("string", "When the token was issued (RFC 3339, UTC, whole seconds)."),
  expires_at: computed("string", "When the token expires (RFC 3339, UTC, whole seconds)."),
  fingerprint: computed(
    "string",
    "The first 12 hex digits of a SHA-256 of the token: safe to print, equal for equal tokens.",
  ),
  auth_url: computed(
    "string",
    "The address of the identity service that issued the token, up to /v3.",
  ),
};

/** What a static token has beside. */
export const STATIC_TOKEN_ATTRIBUTES: Readonly<Record<string, AttributeSchema>> = {
  ...TOKEN_ATTRIBUTES,
  fingerprint: computed(
    "string",
    "Always null: the strength of a static token is not known, so that a digest could be guessed.",
  ),
};
