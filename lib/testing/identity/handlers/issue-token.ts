import { type AuthAttempt, parseAuthRequest, type ScopeMember } from "../auth-request";
import type { GrantedScope, RefusalReason, RequestedScope } from "../directory";
import type { IdentityAnswer, IdentityRequest, IdentityState, Noted } from "../exchange";
import {
  errorAnswer,
  expecting,
  isAnswer,
  jsonAnswer,
  serverError,
  unauthorized,
} from "../keystone-answers";
import { toTokenBody } from "../token-body";
import type { IssuedRecord } from "../token-register";
import type { UserRecord } from "../user-record";
import { describe, reasonOf } from "./subject-token";

/** POST …/v3/auth/tokens. @see spec, "Issue an IAM token" */
export function issueToken(request: IdentityRequest, state: IdentityState): IdentityAnswer {
  const attempt = parseAuthRequest(request);
  if (isAnswer(attempt)) return attempt;
  const scope = findScope(attempt.scope, state);
  if (typeof scope === "string")
    return unauthorized(request, { noted: { ...notedOf(attempt, state), reason: scope } });
  const login = authenticate(attempt, request, state);
  if (isAnswer(login)) return login;
  const { owner, from } = login;
  const asked = withDefaultProject(scope, attempt.scope, owner, state);
  const noted = {
    ...notedOf(attempt, state),
    user: owner.user.name,
    account: owner.user.account.name,
  };
  const refuse = (reason: RefusalReason) => unauthorized(request, { noted: { ...noted, reason } });
  // What Keystone expresses by roles; the spec's rule 3 is this service's own.
  if (!owner.user.isServiceUser) return refuse("not_a_service_user");
  if (asked === undefined || !state.directory.permits(owner, asked)) return refuse("no_permission");
  const { token, record } = state.tokens.issue(owner, asked, methodsOf(attempt), from);
  const withCatalog = !new URLSearchParams(request.query).has("nocatalog");
  return jsonAnswer(201, toTokenBody(record, request.origin, withCatalog), {
    headers: { "X-Subject-Token": token },
    noted: { ...noted, fingerprint: record.fingerprint },
  });
}

/**
 * What a scope refers to, or why it refers to nothing. Undefined: something that nobody here has.
 */
function findScope(
  scope: ScopeMember,
  { directory }: IdentityState,
): GrantedScope | RefusalReason | undefined {
  switch (scope.kind) {
    case "account": {
      const account = directory.account(scope.account);
      return account === undefined ? "unknown_account" : { kind: "account", account };
    }
    case "project": {
      const project = directory.project(scope.project);
      if (project !== undefined) return { kind: "project", project };
      const { name, domain } = scope.project;
      return name && directory.account(domain ?? {}) === undefined
        ? "unknown_account"
        : "unknown_project";
    }
    case "none":
      return { kind: "none" };
    default:
      return undefined;
  }
}

/** Without a scope, Keystone takes the user's default project, as long as it is permitted. */
function withDefaultProject(
  scope: GrantedScope | undefined,
  asked: ScopeMember,
  owner: UserRecord,
  state: IdentityState,
) {
  if (asked.kind !== "none" || asked.explicit || owner.defaultProject === undefined) return scope;
  const project = state.directory.project({
    name: owner.defaultProject,
    domain: owner.user.account,
  });
  const byDefault: GrantedScope | undefined =
    project === undefined ? undefined : { kind: "project", project };
  return byDefault !== undefined && state.directory.permits(owner, byDefault) ? byDefault : scope;
}

interface Login {
  readonly owner: UserRecord;
  /** The token that was shown, with the method "token". */
  readonly from?: IssuedRecord;
}

/** Each method in turn, as Keystone does; they must agree on who it is. */
function authenticate(
  attempt: AuthAttempt,
  request: IdentityRequest,
  state: IdentityState,
): Login | IdentityAnswer {
  let login: Login | undefined;
  for (const method of attempt.methods) {
    const found =
      method === "password"
        ? byPassword(attempt, request, state)
        : method === "token"
          ? byToken(attempt, state)
          : undefined;
    if (found === undefined) continue;
    if (isAnswer(found)) return found;
    if (login !== undefined && login.owner !== found.owner) {
      return unauthorized(request, {
        noted: { ...notedOf(attempt, state), reason: "token_of_another_user" },
      });
    }
    login = { ...login, ...found };
  }
  return (
    login ??
    unauthorized(request, { noted: { ...notedOf(attempt, state), reason: "malformed_request" } })
  );
}

function byPassword(
  attempt: AuthAttempt,
  request: IdentityRequest,
  state: IdentityState,
): Login | IdentityAnswer {
  const { user } = attempt;
  // Keystone's own words, as a real one says them.
  if (user === undefined) return expecting("user", "None");
  if (!user.id && !user.name) return expecting("id or name", "user");
  if (user.name && user.domain === undefined) return expecting("domain", "user");
  if (user.name && !user.domain?.id && !user.domain?.name) return expecting("id or name", "domain");
  const noted = notedOf(attempt, state);
  if (hasHalfPair(user.name) || hasHalfPair(user.domain?.name))
    return serverError({ ...noted, reason: "server_error" });
  const owner = state.directory.user(user);
  if (owner === undefined) {
    const isKnown = !user.name || state.directory.account(user.domain ?? {}) !== undefined;
    return unauthorized(request, {
      noted: { ...noted, reason: isKnown ? "unknown_user" : "unknown_account" },
    });
  }
  const outcome = owner.logIn(user.password, state.now(), state.lockout);
  if (outcome === "accepted") return { owner };
  if (outcome === "server_error") return serverError({ ...noted, reason: outcome });
  // The one cause that Keystone tells.
  const told = outcome === "password_expired" ? { message: expiredMessage(owner) } : {};
  return unauthorized(request, { noted: { ...noted, reason: outcome }, ...told });
}

function byToken(attempt: AuthAttempt, state: IdentityState): Login | IdentityAnswer {
  const { token = "" } = attempt;
  const noted = notedOf(attempt, state);
  if (token === "")
    return errorAnswer(404, "No token in the request", { ...noted, reason: "token_missing" });
  const { status, record } = state.tokens.find(token);
  if (record === undefined)
    return errorAnswer(404, "Could not recognize Fernet token", {
      ...noted,
      reason: "token_unknown",
    });
  if (status !== "valid") {
    return errorAnswer(404, "Failed to validate token", {
      ...noted,
      ...describe(record),
      reason: reasonOf(status),
    });
  }
  return { owner: record.owner, from: record };
}

const expiredMessage = ({ user }: UserRecord) =>
  `The password is expired and needs to be changed for user: ${user.id}.`;

const methodsOf = ({ methods }: AuthAttempt) =>
  methods.filter((method) => method === "password" || method === "token");

const hasHalfPair = (text: string | undefined) => text !== undefined && /\p{Cs}/u.test(text);

/** What the journal keeps: names, also where the client wrote ids. */
function notedOf({ user, scope }: AuthAttempt, state: IdentityState): Noted {
  const known = user === undefined ? undefined : state.directory.user(user)?.user;
  const name = user?.name || known?.name || user?.id;
  const account = user?.domain?.name || known?.account.name || user?.domain?.id;
  const asked = requestedOf(scope, state);
  return {
    ...(name === undefined ? {} : { user: name }),
    ...(account === undefined ? {} : { account }),
    ...(asked === undefined ? {} : { scope: asked }),
  };
}

function requestedOf(scope: ScopeMember, { directory }: IdentityState): RequestedScope | undefined {
  switch (scope.kind) {
    case "account":
      return {
        kind: "account",
        account:
          scope.account.name || directory.account(scope.account)?.name || scope.account.id || "",
      };
    case "project": {
      const { id = "", name, domain } = scope.project;
      const known = directory.project(scope.project);
      const account = domain?.name || known?.account.name || domain?.id || "";
      return { kind: "project", project: name || known?.name || id, account };
    }
    case "trust":
      return undefined;
    default:
      return { kind: scope.kind };
  }
}
