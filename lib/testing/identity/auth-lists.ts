import { forbidden, isAnswer, jsonAnswer, MOUNT } from "./answers";
import { toCatalog } from "./catalog";
import type { GrantedScope } from "./directory";
import type { IdentityAnswer, IdentityRequest, IdentityState } from "./exchange";
import { describe, readCaller } from "./presented-token";

/** GET …/v3/auth/catalog: the same as in the body of a project token. */
export function showCatalog(request: IdentityRequest, state: IdentityState): IdentityAnswer {
  const caller = readCaller(request, state);
  if (isAnswer(caller)) return caller;
  const noted = describe(caller);
  if (caller.scope.kind !== "project") return forbidden({ ...noted, reason: "no_permission" });
  const links = { self: `${request.origin}${MOUNT}/v3/auth/catalog` };
  const catalog = toCatalog(state.catalog, caller, request);
  return jsonAnswer(200, { catalog, links }, {}, noted);
}

/** GET …/v3/auth/projects: the projects for which the owner of the token may get one. */
export function listProjects(request: IdentityRequest, state: IdentityState): IdentityAnswer {
  return list("projects", request, state);
}

/** GET …/v3/auth/domains: the accounts for which the owner of the token may get one. */
export function listDomains(request: IdentityRequest, state: IdentityState): IdentityAnswer {
  return list("domains", request, state);
}

function list(
  kind: "projects" | "domains",
  request: IdentityRequest,
  state: IdentityState,
): IdentityAnswer {
  const caller = readCaller(request, state);
  if (isAnswer(caller)) return caller;
  const v3 = `${request.origin}${MOUNT}/v3`;
  const found = state.directory
    .scopesOf(caller.owner)
    .flatMap((scope) => (kind === "projects" ? toProject(scope, v3) : toDomain(scope, v3)));
  const query = request.query === "" ? "" : `?${request.query}`;
  const links = { next: null, self: `${v3}/auth/${kind}${query}`, previous: null };
  return jsonAnswer(200, { [kind]: found, links }, {}, describe(caller));
}

function toProject(scope: GrantedScope, v3: string): readonly object[] {
  if (scope.kind !== "project") return [];
  const { id, name, account } = scope.project;
  return [
    {
      id,
      name,
      domain_id: account.id,
      description: "",
      enabled: true,
      parent_id: account.id,
      is_domain: false,
      tags: [],
      options: {},
      links: { self: `${v3}/projects/${id}` },
    },
  ];
}

function toDomain(scope: GrantedScope, v3: string): readonly object[] {
  if (scope.kind !== "account") return [];
  const { id, name } = scope.account;
  const links = { self: `${v3}/domains/${id}` };
  return [{ id, name, description: "", enabled: true, tags: [], options: {}, links }];
}
