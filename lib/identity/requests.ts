import type { AuthUrl, Secret } from "../tokens";
import type { PasswordCredential, Scope } from "./credential";
import type { WireRequest } from "./transport/transport";

/**
 * The request that issues an IAM token. It always contains a scope: without one, Keystone silently
 * uses the user's default project. Account number and names are JSON strings, even if they look
 * like numbers.
 *
 * @see spec, "Issue an IAM token"
 */
export function issueRequest(credential: PasswordCredential, scope: Scope): WireRequest {
  const account = { name: String(credential.accountId) };
  const body = {
    auth: {
      identity: {
        methods: ["password"],
        password: {
          user: {
            name: String(credential.userName),
            domain: account,
            password: credential.password.reveal(),
          },
        },
      },
      scope:
        scope.kind === "account"
          ? { domain: account }
          : { project: { name: String(scope.projectName), domain: account } },
    },
  };
  return {
    method: "POST",
    url: credential.authUrl.tokens,
    // No accept-encoding: a compressed answer could expand to any size.
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(body),
  };
}

/**
 * The request by which a token revokes itself. It is Keystone's, and the service's specification
 * does not mention it, so it is only sent on demand.
 */
export function revokeRequest(authUrl: AuthUrl, token: Secret): WireRequest {
  const value = token.reveal();
  return {
    method: "DELETE",
    url: authUrl.tokens,
    headers: { accept: "application/json", "x-auth-token": value, "x-subject-token": value },
  };
}
