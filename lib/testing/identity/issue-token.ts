import { defined } from "../../tokens";
import { expecting, isAnswer, jsonAnswer, serverError, unauthorized } from "./answers";
import { type AuthAttempt, parseAuthRequest, type ScopeMember } from "./auth-request";
import type { GrantedScope } from "./directory";
import type { EmbeddedUser } from "./embedded-user";
import type { IdentityAnswer, IdentityRequest, IdentityState } from "./exchange";
import type { Noted, RefusalReason, RequestedScope } from "./journal";
import { findLive } from "./presented-token";
import { toTokenBody } from "./token-body";
import type { IssuedRecord } from "./token-register";

/** POST …/v3/auth/tokens. @see spec, "Issue an IAM token" */
export function issueToken(request: IdentityRequest, state: IdentityState): IdentityAnswer {
  const attempt = parseAuthRequest(request);
  if (isAnswer(attempt)) return attempt;
  const asking = { request, state, attempt, noted: notedOf(attempt, state) };
  const scope = findScope(attempt.scope, state);
  if (typeof scope === "string") return refuse(asking, scope);
  const login = authenticate(asking);
  if (isAnswer(login)) return login;
  const { owner, from } = login;
  const granted = withDefaultProject(scope, attempt.scope, owner, state);
  const noted = { ...asking.noted, user: owner.name, account: owner.account.name };
  // Keystone uses roles for this; rule 3 is specific to this service.
  if (!owner.settings.isServiceUser) return refuse({ request, noted }, "not_a_service_user");
  if (granted === undefined || !state.directory.permits(owner, granted))
    return refuse({ request, noted }, "no_permission");
  const methods = attempt.methods.filter((method) => method === "password" || method === "token");
  const { token, record } = state.tokens.issue(owner, granted, methods, from);
  const { fingerprint } = record;
  const headers = { "X-Subject-Token": token };
  return jsonAnswer(201, toTokenBody(record, request, state), headers, { ...noted, fingerprint });
}

interface IssueAttempt {
  readonly request: IdentityRequest;
  readonly state: IdentityState;
  readonly attempt: AuthAttempt;
  readonly noted: Noted;
}

const refuse = (
  { request, noted }: Pick<IssueAttempt, "request" | "noted">,
  reason: RefusalReason,
  message?: string,
) => unauthorized(request, { ...noted, reason }, message);

/**
 * The object of a scope, or why there is none. Undefined: an object that does not exist here.
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
      const { name, domain = {} } = scope.project;
      return name && directory.account(domain) === undefined
        ? "unknown_account"
        : "unknown_project";
    }
    case "none":
      return { kind: "none" };
    default:
      return undefined;
  }
}

/** Without a scope, Keystone uses the user's default project, if it is permitted. */
function withDefaultProject(
  scope: GrantedScope | undefined,
  asked: ScopeMember,
  owner: EmbeddedUser,
  { directory }: IdentityState,
): GrantedScope | undefined {
  const { defaultProject: name } = owner.settings;
  if (asked.kind !== "none" || asked.explicit || name === undefined) return scope;
  const project = directory.project({ name, domain: owner.account });
  if (project === undefined) return scope;
  const byDefault: GrantedScope = { kind: "project", project };
  return directory.permits(owner, byDefault) ? byDefault : scope;
}

interface Login {
  readonly owner: EmbeddedUser;
  /** The token in the request, for the method "token". */
  readonly from?: IssuedRecord;
}

/** Each method in turn, as in Keystone; they must all identify the same user. */
function authenticate(asking: IssueAttempt): Login | IdentityAnswer {
  let login: Login | undefined;
  for (const method of asking.attempt.methods) {
    if (method !== "password" && method !== "token") continue;
    const found = method === "password" ? byPassword(asking) : byToken(asking);
    if (isAnswer(found)) return found;
    if (login !== undefined && login.owner !== found.owner)
      return refuse(asking, "token_of_another_user");
    login = { ...login, ...found };
  }
  return login ?? refuse(asking, "malformed_request");
}

function byPassword(asking: IssueAttempt): Login | IdentityAnswer {
  const { state, noted } = asking;
  const { user } = asking.attempt;
  // The literal words of a real Keystone.
  if (user === undefined) return expecting("user", "None");
  const { id, name, domain, password } = user;
  if (!id && !name) return expecting("id or name", "user");
  if (name && domain === undefined) return expecting("domain", "user");
  if (name && !domain?.id && !domain?.name) return expecting("id or name", "domain");
  if (hasHalfPair(name) || hasHalfPair(domain?.name))
    return serverError({ ...noted, reason: "server_error" });
  const owner = state.directory.user(user);
  if (owner === undefined) {
    const isKnown = !name || state.directory.account(domain ?? {}) !== undefined;
    return refuse(asking, isKnown ? "unknown_user" : "unknown_account");
  }
  const outcome = owner.logIn(password);
  if (outcome === "accepted") return { owner };
  if (outcome === "server_error") return serverError({ ...noted, reason: outcome });
  // The only cause that Keystone mentions.
  const expired = `The password is expired and needs to be changed for user: ${owner.id}.`;
  return refuse(asking, outcome, outcome === "password_expired" ? expired : undefined);
}

function byToken({ attempt, state, noted }: IssueAttempt): Login | IdentityAnswer {
  const from = findLive(attempt.token ?? "", state, noted);
  return isAnswer(from) ? from : { owner: from.owner, from };
}

const hasHalfPair = (text: string | undefined) => text !== undefined && /\p{Cs}/u.test(text);

/** The journal's data: names, even if the client sent ids. */
function notedOf({ user, scope }: AuthAttempt, state: IdentityState): Noted {
  const known = user === undefined ? undefined : state.directory.user(user);
  return defined({
    user: user?.name || known?.name || user?.id,
    account: user?.domain?.name || known?.account.name || user?.domain?.id,
    scope: requestedOf(scope, state),
  });
}

function requestedOf(scope: ScopeMember, { directory }: IdentityState): RequestedScope | undefined {
  switch (scope.kind) {
    case "account": {
      const { id = "", name } = scope.account;
      return { kind: "account", account: name || directory.account(scope.account)?.name || id };
    }
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
