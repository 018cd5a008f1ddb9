import type { IdentityAnswer, IdentityRequest, IdentityState } from "../exchange";
import { MOUNT, methodNotAllowed, notFoundPage, notMounted, options } from "../keystone-answers";
import { changePassword } from "./change-password";
import { listVersions, showVersion } from "./discover-versions";
import { issueToken } from "./issue-token";
import { revokeToken } from "./revoke-token";
import { validateToken } from "./validate-token";

type Handler = (request: IdentityRequest, state: IdentityState) => IdentityAnswer;

interface Route {
  readonly methods: Readonly<Record<string, Handler>>;
  /**
   * The methods as a refusal names them; the versions are made by another part of Keystone than the
   * rest.
   */
  readonly allow: string;
  readonly refusals: "json" | "html";
}

const VERSIONS = { allow: "HEAD, GET, OPTIONS", refusals: "html" } as const;

const ROUTES: Readonly<Record<string, Route>> = {
  [MOUNT]: { methods: { GET: listVersions, HEAD: listVersions }, ...VERSIONS },
  [`${MOUNT}/v3`]: { methods: { GET: showVersion, HEAD: showVersion }, ...VERSIONS },
  [`${MOUNT}/v3/auth/tokens`]: {
    methods: { DELETE: revokeToken, POST: issueToken, HEAD: validateToken, GET: validateToken },
    allow: "DELETE, POST, OPTIONS, HEAD, GET",
    refusals: "json",
  },
};

/** Whether a path is Keystone's at all. */
export function isMounted(path: string): boolean {
  return path === MOUNT || path.startsWith(`${MOUNT}/`);
}

/** The answer to a request: all of the identity service but its socket. */
export function answerRequest(request: IdentityRequest, state: IdentityState): IdentityAnswer {
  if (!isMounted(request.path)) return notMounted();
  // Keystone's framework forgives doubled and trailing slashes.
  const route = routeOf(request.path.replace(/\/{2,}/g, "/").replace(/(?<=.)\/$/, ""));
  if (route === undefined) return notFoundPage();
  if (request.method === "OPTIONS") return options(route.allow);
  const handler = Object.hasOwn(route.methods, request.method)
    ? route.methods[request.method]
    : undefined;
  return handler === undefined
    ? methodNotAllowed(route.allow, route.refusals)
    : handler(request, state);
}

function routeOf(path: string): Route | undefined {
  if (Object.hasOwn(ROUTES, path)) return ROUTES[path];
  const userId = /^\/identity\/v3\/users\/([^/]+)\/password$/.exec(path)?.[1];
  if (userId === undefined) return undefined;
  // Keystone has GET there, to refuse it.
  const refuse = () => methodNotAllowed("POST", "json");
  const methods: Route["methods"] = {
    GET: refuse,
    HEAD: refuse,
    POST: (request, state) => changePassword(request, state, userId),
  };
  return { methods, allow: "HEAD, POST, OPTIONS, GET", refusals: "json" };
}
