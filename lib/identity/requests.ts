import type { Secret } from "../tokens";
import type { FederatedCredential, Proof, RevokeRequest, Scope } from "./credential";
import type { WireRequest } from "./transport/transport";

/** Nothing is unpacked: a compressed answer could expand to any size. */
export const JSON_ANSWER = { accept: "application/json", "accept-encoding": "identity" };

/**
 * The request that issues an IAM token. Except with an application credential, which Keystone
 * refuses to scope, it always contains a scope: without one, Keystone silently uses the user's
 * default project.
 */
export function issueRequest(proof: Proof, scope: Scope): WireRequest {
  const identity = identityOf(proof);
  const body = {
    auth: {
      identity: { methods: Object.keys(identity), ...identity },
      ...(proof.way !== "application credential" && { scope: scopeOf(scope) }),
    },
  };
  return {
    method: "POST",
    url: proof.authUrl.tokens,
    headers: { "content-type": "application/json", ...JSON_ANSWER },
    body: JSON.stringify(body),
    secret: proof.secret,
    // The body of a 401 may say why; that of a 400, 403 or 404, whether Keystone sent it, and not a
    // firewall: then an application credential or a token is gone.
    bodyOf: [201, 400, 401, 403, 404],
  };
}

/** The proof under the name of its method: a case for each way of signing in. */
function identityOf(proof: Proof): Readonly<Record<string, object>> {
  const secret = proof.secret.reveal();
  switch (proof.way) {
    case "password":
      return { password: { user: { ...proof.user, password: secret } } };
    case "application credential":
      return { application_credential: { ...proof.by, secret } };
    case "identity token":
      return { token: { id: secret } };
  }
}

const scopeOf = (scope: Scope) =>
  scope.kind === "account" ? { domain: scope.account } : { project: scope.project };

/**
 * The request that signs in with an identity token, for an unscoped token. The web server in front
 * of Keystone checks the identity token.
 */
export function signInRequest(
  { authUrl, identityProvider, protocol }: FederatedCredential,
  identityToken: Secret,
): WireRequest {
  const [provider, name] = [identityProvider, protocol].map(encodeURIComponent);
  return {
    method: "POST",
    url: `${authUrl.v3}/OS-FEDERATION/identity_providers/${provider}/protocols/${name}/auth`,
    ...byBearer(identityToken),
    bodyOf: [201, 400, 401, 403, 404],
  };
}

/** The parts of a request that a bearer's secret authorizes. */
export const byBearer = (secret: Secret) => ({
  headers: { authorization: `Bearer ${secret.reveal()}`, ...JSON_ANSWER },
  secret,
});

/** A token, and the service that issued it. */
type Issued = Pick<RevokeRequest, "authUrl" | "token">;

/**
 * The request by which a token revokes itself. It is Keystone's, and the service's specification
 * does not mention it, so it is only sent on demand.
 */
export const revokeRequest = (issued: Issued): WireRequest => ({
  method: "DELETE",
  ...byItself(issued),
  // It says whether Keystone answers.
  bodyOf: [401, 403, 404],
});

/**
 * The request by which a token asks about itself. It is Keystone's as well, and only sent on
 * demand.
 */
export const validateRequest = (issued: Issued): WireRequest => ({
  method: "HEAD",
  ...byItself(issued),
});

function byItself({ authUrl, token }: Issued) {
  const value = token.reveal();
  const headers = {
    ...JSON_ANSWER,
    "x-auth-token": value,
    "x-subject-token": value,
    // Otherwise Keystone hides a token of an application credential with access rules.
    "openstack-identity-access-rules": "1.0",
  };
  return { url: authUrl.tokens, headers, secret: token };
}
