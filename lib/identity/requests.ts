import type { AuthUrl, Secret } from "../tokens";
import type { FederatedCredential, Proof, Scope } from "./credential";
import type { WireRequest } from "./transport/transport";

// No accept-encoding: a compressed answer could expand to any size.
export const JSON_ANSWER = { accept: "application/json" };

/**
 * The request that issues an IAM token. Except with an application credential, which Keystone
 * refuses to scope, it always contains a scope: without one, Keystone silently uses the user's
 * default project.
 *
 * @see spec, "Issue an IAM token"
 */
export function issueRequest(proof: Proof, scope: Scope): WireRequest {
  const identity = identityOf(proof);
  const body = {
    auth: {
      identity: { methods: Object.keys(identity), ...identity },
      ...(proof.way !== "application credential" && { scope: scopeOf(scope, proof.accountId) }),
    },
  };
  return {
    method: "POST",
    url: proof.authUrl.tokens,
    headers: { "content-type": "application/json", ...JSON_ANSWER },
    body: JSON.stringify(body),
  };
}

/** The proof under the name of its method: a case for each way of signing in. */
function identityOf(proof: Proof): Readonly<Record<string, object>> {
  const secret = proof.secret.reveal();
  switch (proof.way) {
    case "password": {
      const { accountId, userName } = proof;
      return { password: { user: { ...user(userName, accountId), password: secret } } };
    }
    case "application credential": {
      const { accountId = "", by } = proof;
      return {
        application_credential:
          "id" in by
            ? { id: by.id, secret }
            : { name: by.name, secret, user: user(by.userName, accountId) },
      };
    }
    case "identity token":
      return { token: { id: secret } };
  }
}

const user = (name: string, accountId: string) => ({
  name: name,
  domain: { name: accountId },
});

function scopeOf(scope: Scope, accountId: string) {
  const domain = { name: accountId };
  return scope.kind === "account" ? { domain } : { project: { name: scope.projectName, domain } };
}

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
    headers: { authorization: `Bearer ${identityToken.reveal()}`, ...JSON_ANSWER },
  };
}

/**
 * The request by which a token revokes itself. It is Keystone's, and the service's specification
 * does not mention it, so it is only sent on demand.
 */
export function revokeRequest(authUrl: AuthUrl, token: Secret): WireRequest {
  return byItself("DELETE", authUrl, token);
}

/**
 * The request by which a token asks about itself. It is Keystone's as well, and only sent on demand.
 */
export function validateRequest(authUrl: AuthUrl, token: Secret): WireRequest {
  return byItself("HEAD", authUrl, token);
}

function byItself(method: "DELETE" | "HEAD", { tokens }: AuthUrl, token: Secret): WireRequest {
  const value = token.reveal();
  const headers = { ...JSON_ANSWER, "x-auth-token": value, "x-subject-token": value };
  return { method, url: tokens, headers };
}
