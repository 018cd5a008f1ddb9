import { defined } from "../../tokens";
import {
  errorAnswer,
  expecting,
  forbidden,
  isAnswer,
  jsonAnswer,
  serverError,
  unauthorized,
} from "./answers";
import { type ApplicationCredential, isSecretOf } from "./application-credentials";
import { type AuthAttempt, parseAuthRequest, type ScopeMember } from "./auth-request";
import type { UserMember } from "./auth-schema";
import type { GrantedScope } from "./directory";
import type { EmbeddedUser, TokenOwner } from "./embedded-user";
import type { IdentityAnswer, IdentityRequest, IdentityState } from "./exchange";
import type { Noted, RefusalReason, RequestedScope } from "./journal";
import { describe, findLive } from "./presented-token";
import { toKeystoneTime, toTokenBody } from "./token-body";
import type { IssuedRecord } from "./token-register";

/** POST …/v3/auth/tokens. @see spec, "Issue an IAM token" */
export function issueToken(request: IdentityRequest, state: IdentityState): IdentityAnswer {
  const attempt = parseAuthRequest(request);
  if (isAnswer(attempt)) return attempt;
  const asking = { request, state, attempt, noted: notedOf(attempt, state) };
  if (attempt.methods.includes("application_credential") && isScopeGiven(attempt.scope)) {
    const message =
      "Error authenticating with application credential: Application credentials cannot request a scope.";
    const noted = { ...asking.noted, reason: "scope_with_application_credential" } as const;
    return unauthorized(request, noted, message, { identity: {} });
  }
  const scope = findScope(attempt.scope, state);
  if (typeof scope === "string") return refuse(asking, scope);
  const login = authenticate(asking);
  if (isAnswer(login)) return login;
  const { owner, credential } = login;
  const granted = credential?.scope ?? scope;
  const noted = { ...asking.noted, user: owner.name, account: owner.account.name };
  // Keystone uses roles for this; rule 3 is specific to this service.
  if (!owner.settings.isServiceUser) return refuse({ request, noted }, "not_a_service_user");
  if (granted === undefined || !state.directory.permits(owner, granted))
    return refuse({ request, noted }, "no_permission");
  const methods = attempt.methods.filter((method) => Object.hasOwn(METHODS, method));
  const { token, record } = state.tokens.issue(owner, granted, methods, login);
  const { fingerprint } = record;
  const headers = { "X-Subject-Token": token };
  const issued = credential === undefined ? { ...noted, fingerprint } : describe(record);
  return jsonAnswer(201, toTokenBody(record, request, state), headers, issued);
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

interface Login {
  readonly owner: TokenOwner;
  readonly credential?: ApplicationCredential;
  /** The token in the request, for the method "token". */
  readonly from?: IssuedRecord;
}

/** Those that lead to a token. */
const METHODS: Readonly<Record<string, (asking: IssueAttempt) => Login | IdentityAnswer>> = {
  password: byPassword,
  token: byToken,
  application_credential: byCredential,
};

/** Each method in turn, as in Keystone; they must all identify the same user. */
function authenticate(asking: IssueAttempt): Login | IdentityAnswer {
  let login: Login | undefined;
  for (const method of asking.attempt.methods) {
    const found = Object.hasOwn(METHODS, method) ? METHODS[method]?.(asking) : undefined;
    if (found === undefined) continue;
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
  const incomplete = whatIsMissing(user);
  if (incomplete !== undefined) return incomplete;
  const { name, domain, password } = user;
  if (hasHalfPair(name) || hasHalfPair(domain?.name))
    return serverError({ ...noted, reason: "server_error" });
  const owner = state.directory.user(user);
  if (owner === undefined) {
    const isKnown = !name || state.directory.account(domain ?? {}) !== undefined;
    return refuse(asking, isKnown ? "unknown_user" : "unknown_account");
  }
  const outcome = owner.logIn(password);
  if (outcome === "accepted")
    return owner.settings.secondFactor ? receiptFor(owner, asking) : { owner };
  if (outcome === "server_error") return serverError({ ...noted, reason: outcome });
  // The only cause that Keystone mentions.
  const expired = `The password is expired and needs to be changed for user: ${owner.id}.`;
  return refuse(asking, outcome, outcome === "password_expired" ? expired : undefined);
}

function whatIsMissing({ id, name, domain }: UserMember): IdentityAnswer | undefined {
  if (!id && !name) return expecting("id or name", "user");
  if (name && domain === undefined) return expecting("domain", "user");
  if (name && !domain?.id && !domain?.name) return expecting("id or name", "domain");
  return undefined;
}

/** The password is right, and the user has to bring a passcode as well, within five minutes. */
function receiptFor(owner: EmbeddedUser, { state, noted }: IssueAttempt): IdentityAnswer {
  const issuedAt = Math.floor(state.now() / 1000) * 1000;
  const { id, name, account: domain } = owner;
  const receipt = {
    methods: ["password"],
    user: { id, name, domain },
    expires_at: toKeystoneTime(issuedAt + 300_000),
    issued_at: toKeystoneTime(issuedAt),
  };
  return jsonAnswer(
    401,
    { receipt, required_auth_methods: [["password", "totp"]] },
    { "Openstack-Auth-Receipt": state.tokens.fernetLooking(issuedAt, 32) },
    { ...noted, reason: "second_factor_required" },
  );
}

function byToken({ attempt, state, noted }: IssueAttempt): Login | IdentityAnswer {
  const from = findLive(attempt.token ?? "", state, noted);
  if (isAnswer(from)) return from;
  if (from.credential === undefined) return { owner: from.owner, from };
  return forbidden(
    { ...noted, ...describe(from), reason: "token_of_a_credential" },
    "Using a delegated token to create another token is not allowed.",
  );
}

function byCredential(asking: IssueAttempt): Login | IdentityAnswer {
  const { state, attempt } = asking;
  const { id, name, user, secret } = attempt.credential ?? {};
  if (!id && !name) return expecting("name or ID", "application credential");
  let credential: ApplicationCredential | undefined;
  if (id) {
    credential = state.credentials.find(id);
    if (credential === undefined) {
      const noted = { reason: "unknown_application_credential" } as const;
      // Keystone repeats the id.
      return errorAnswer(404, `Could not find Application Credential: ${id}.`, noted);
    }
  } else {
    if (user === undefined) return expecting("user", "application credential");
    const incomplete = whatIsMissing(user);
    if (incomplete !== undefined) return incomplete;
    const owner = state.directory.user(user);
    if (owner === undefined) {
      if (!user.name) return refuse(asking, "unknown_user");
      if (state.directory.account(user.domain ?? {}) === undefined)
        return refuse(asking, "unknown_account");
      const noted = { ...asking.noted, reason: "unknown_user" } as const;
      return errorAnswer(404, `Could not find user: ${user.name}.`, noted);
    }
    credential = state.credentials.findNamed(name ?? "", owner);
    if (credential === undefined) return refuse(asking, "unknown_application_credential");
  }
  const { owner, expiresAt } = credential;
  const known = { ...asking, noted: { user: owner.name, account: owner.account.name } };
  if (!owner.isEnabled) return refuse(known, "user_disabled");
  if (secret === undefined || !isSecretOf(credential, secret)) return refuse(known, "wrong_secret");
  if (expiresAt !== undefined && expiresAt <= state.now())
    return refuse(known, "application_credential_expired");
  return { owner, credential };
}

const isScopeGiven = (scope: ScopeMember) => scope.kind !== "none" || scope.explicit;

const hasHalfPair = (text: string | undefined) => text !== undefined && /\p{Cs}/u.test(text);

/** The journal's data: names, even if the client sent ids. */
function notedOf({ credential, scope, ...attempt }: AuthAttempt, state: IdentityState): Noted {
  const user = attempt.user ?? credential?.user;
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
