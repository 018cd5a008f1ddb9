import type { Credential, Scope } from "../credential";
import type { IssueRequestBody } from "../schemas";
import type { WireRequest } from "./wire-request";

/**
 * The request that issues an IAM token. It always carries a scope: without one, Keystone silently
 * takes the user's default project. Account number and names are JSON strings, also when they look
 * like numbers.
 *
 * @see spec, "Issue an IAM token"
 */
export function issueRequest(credential: Credential, scope: Scope): WireRequest {
  const account = { name: String(credential.accountId) };
  const body: IssueRequestBody = {
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
    // No accept-encoding: a compressed answer could unfold to any size.
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(body),
  };
}
