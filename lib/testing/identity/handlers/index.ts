import type { IdentityAnswer, IdentityRequest, IdentityState } from "../exchange";
import { MOUNT, methodNotAllowed, notFoundPage, notMounted } from "../keystone-answers";
import { listVersions, showVersion } from "./discover-versions";
import { issueToken } from "./issue-token";
import { revokeToken } from "./revoke-token";
import { validateToken } from "./validate-token";

type Handler = (request: IdentityRequest, state: IdentityState) => IdentityAnswer;

const ROUTES: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
  [MOUNT]: { GET: listVersions, HEAD: listVersions },
  [`${MOUNT}/v3`]: { GET: showVersion, HEAD: showVersion },
  [`${MOUNT}/v3/auth/tokens`]: { DELETE: revokeToken, POST: issueToken, HEAD: validateToken, GET: validateToken },
};

/** The answer to a request: all of the identity service but its socket. */
export function answerRequest(request: IdentityRequest, state: IdentityState): IdentityAnswer {
  // Keystone's framework forgives doubled and trailing slashes.
  const path = request.path.replace(/\/{2,}/g, "/").replace(/(?<=.)\/$/, "");
  if (path !== MOUNT && !path.startsWith(`${MOUNT}/`)) return notMounted();
  const route = Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined;
  if (route === undefined) return notFoundPage();
  const handler = Object.hasOwn(route, request.method) ? route[request.method] : undefined;
  if (handler !== undefined) return handler(request, state);
  const allow = [...Object.keys(route), "OPTIONS"].join(", ");
  return request.method === "OPTIONS"
    ? {
        status: 200,
        headers: { "Content-Type": "text/html; charset=utf-8", Allow: allow, Vary: "X-Auth-Token" },
        body: "",
        noted: {},
      }
    : methodNotAllowed(allow);
}
