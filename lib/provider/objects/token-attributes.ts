import type { IssuedToken } from "../../identity";
import type { CtyObject } from "../../plugin/cty/value";
import type { AttributeSchema } from "../../plugin/provider";
import {
  fingerprintOf,
  headerNameOf,
  type Secret,
  type TokenKindId,
  toRfc3339,
} from "../../tokens";
import { computed } from "../configuration/argument";
import { masked, rememberSecret } from "../secrets/known-secrets";

type Attributes = Readonly<Record<string, AttributeSchema>>;

/** Attributes of every kind of token. */
const TOKEN_ATTRIBUTES: Attributes = {
  token: computed("string", "The token.", { sensitive: true }),
  header_name: computed(
    "string",
    "Request header for the token: X-Auth-Token or X-Token, by its kind.",
  ),
  headers: computed(["map", "string"], "The header with the token, as a map.", { sensitive: true }),
  kind: computed("string", "iam_token_account_scoped, iam_token_project_scoped or static_token."),
};

/** Further attributes of an IAM token. */
export const IAM_TOKEN_ATTRIBUTES: Attributes = {
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
  user_id: computed(
    "string",
    "Id of the token's user, as the service says it; null if it does not.",
  ),
};

/** Further attributes of a static token. */
export const STATIC_TOKEN_ATTRIBUTES: Attributes = {
  ...TOKEN_ATTRIBUTES,
  fingerprint: computed(
    "string",
    "Always null: a static token may be weak, and its digest could then be guessed.",
  ),
};

/**
 * The block of an IAM token with its computed attributes filled in: it is in no message from now
 * on.
 */
export function withIamToken(config: CtyObject, issued: IssuedToken): CtyObject {
  rememberSecret(issued.token.reveal());
  return {
    ...config,
    ...commonAttributes(issued.kind, issued.token),
    issued_at: toRfc3339(issued.issuedAt),
    expires_at: toRfc3339(issued.expiresAt),
    fingerprint: fingerprintOf(issued.token),
    auth_url: issued.authUrl.v3,
    project_id: config.project_id ?? printableId(issued.projectId),
    user_id: printableId(issued.userId),
  };
}

/** An id that the answer has, unless there is a secret in it: users print it. */
const printableId = (id: string | undefined) => (id === undefined || masked(id) !== id ? null : id);

/** The block of a static token with its computed attributes filled in. */
export function withStaticToken(config: CtyObject, token: Secret): CtyObject {
  // The strength of a static token is unknown: the digest of a weak one could be guessed.
  return { ...config, ...commonAttributes("static_token", token), fingerprint: null };
}

function commonAttributes(kind: TokenKindId, token: Secret): CtyObject {
  const headerName = headerNameOf(kind);
  const text = token.reveal();
  return { token: text, header_name: headerName, headers: { [headerName]: text }, kind };
}
