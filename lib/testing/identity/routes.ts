import { errorAnswer, jsonAnswer, MOUNT, methodNotAllowed, options } from "./answers";
import { listDomains, listProjects, showCatalog } from "./auth-lists";
import type { IdentityAnswer, IdentityRequest, IdentityState } from "./exchange";
import { signInByIdentityToken } from "./federated-sign-in";
import { issueToken } from "./issue-token";
import { decoded } from "./journal";
import { revokeToken, validateToken } from "./presented-token";

type Handler = (request: IdentityRequest, state: IdentityState) => IdentityAnswer;

interface Route {
  readonly methods: Readonly<Record<string, Handler>>;
  readonly allow: string;
}

const ROUTES: Readonly<Record<string, Route>> = {
  [MOUNT]: readOnly(listVersions),
  [`${MOUNT}/v3`]: readOnly(showVersion),
  [`${MOUNT}/v3/auth/tokens`]: {
    methods: { DELETE: revokeToken, POST: issueToken, HEAD: validateToken, GET: validateToken },
    allow: "DELETE, POST, OPTIONS, HEAD, GET",
  },
  [`${MOUNT}/v3/auth/catalog`]: readOnly(showCatalog),
  [`${MOUNT}/v3/auth/domains`]: readOnly(listDomains),
  [`${MOUNT}/v3/auth/projects`]: readOnly(listProjects),
};

function readOnly(handler: Handler): Route {
  return { methods: { GET: handler, HEAD: handler }, allow: "HEAD, OPTIONS, GET" };
}

/** The answer to a request below Keystone's path. */
export function answerRequest(request: IdentityRequest, state: IdentityState): IdentityAnswer {
  // Keystone's framework ignores doubled and trailing slashes.
  const route = routeOf(request.path.replace(/\/{2,}/g, "/").replace(/(?<=.)\/$/, ""));
  if (route === undefined)
    return errorAnswer(404, "The requested URL was not found on the server.");
  if (request.method === "OPTIONS") return options(route.allow);
  const handler = Object.hasOwn(route.methods, request.method)
    ? route.methods[request.method]
    : undefined;
  return handler?.(request, state) ?? methodNotAllowed(route.allow);
}

function routeOf(path: string): Route | undefined {
  if (Object.hasOwn(ROUTES, path)) return ROUTES[path];
  const [, provider, protocol] = (FEDERATED.exec(path) ?? []).map(decoded);
  if (provider === undefined || protocol === undefined) return undefined;
  const signIn: Handler = (request, state) =>
    signInByIdentityToken(request, state, provider, protocol);
  return {
    methods: { GET: signIn, HEAD: signIn, POST: signIn },
    allow: "OPTIONS, GET, HEAD, POST",
  };
}

const FEDERATED =
  /^\/identity\/v3\/OS-FEDERATION\/identity_providers\/([^/]+)\/protocols\/([^/]+)\/auth$/;

/** GET …/identity: 300 with a Location that no client should follow with credentials. */
function listVersions({ origin }: IdentityRequest): IdentityAnswer {
  const location = `${origin}${MOUNT}/v3/`;
  const versions = { values: [toVersion(location)] };
  return jsonAnswer(300, { versions }, { Location: location });
}

/** GET …/identity/v3. */
function showVersion({ origin }: IdentityRequest): IdentityAnswer {
  return jsonAnswer(200, { version: toVersion(`${origin}${MOUNT}/v3/`) });
}

function toVersion(href: string): object {
  return {
    id: "v3.14",
    status: "stable",
    updated: "2020-04-07T00:00:00Z",
    links: [{ rel: "self", href }],
    "media-types": [
      { base: "application/json", type: "application/vnd.openstack.identity-v3+json" },
    ],
  };
}
