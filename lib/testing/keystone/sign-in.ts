import { randomBytes } from "node:crypto";
import { defined } from "../../tokens";
import type { ServedAnswer } from "../intercept";
import {
  type AskedCredential,
  type AskedIdentity,
  type AskedReference,
  type AskedScope,
  parseAuthRequest,
} from "./auth-request";
import type { ApplicationCredential, User } from "./directory";
import { Refusal } from "./http";
import type { RequestedScope } from "./journal";
import type { Handler, Note, State } from "./state";
import { describe, tokenAnswer, type Wanted } from "./tokens";

/** POST …/v3/auth/tokens, as OpenStack's clients send it. */
export const signIn: Handler = ({ body }, state, note) => {
  const auth = parseAuthRequest(body);
  const asked = namesOf(auth.scope);
  note({ scope: asked });
  const login = logIn(auth.identity, asked, state, note);
  const { owner, credential } = login;
  // Judged after the user, so that the journal has the first reason.
  const scope = credential === undefined ? state.directory.scopeOf(auth.scope) : login.scope;
  note({ user: owner.name, account: owner.account, scope });
  state.directory.assertPermitted(owner, scope);
  if (state.directory.isDisabled(scope)) throw new Refusal("project_disabled");
  return issued({ ...login, scope }, state, note);
};

/** The answer with a new token. */
export function issued(wanted: Wanted, state: State, note: Note): ServedAnswer {
  const record = state.tokens.issue(wanted);
  note(describe(record));
  return tokenAnswer(201, record, state);
}

/** A scope for the journal: by the names or ids that the client sent. */
function namesOf(asked: AskedScope): RequestedScope {
  if (asked === "unscoped") return { kind: "none" };
  const nameOf = ({ id = "", name = id }: AskedReference = {}) => name;
  if ("domain" in asked) return { kind: "account", account: nameOf(asked.domain) };
  const { project } = asked;
  return { kind: "project", project: nameOf(project), account: nameOf(project.domain) };
}

/** The user for the journal: by the name or the id that the client sent. */
function whoOf({ id = "", name = id, domain }: AskedReference) {
  return { user: name, ...defined({ account: domain?.name ?? domain?.id }) };
}

/** @throws Refusal */
function logIn(identity: AskedIdentity, scope: RequestedScope, state: State, note: Note): Wanted {
  const { directory, tokens, now } = state;
  const [method] = identity.methods;

  if ("password" in identity) {
    const { password, ...asked } = identity.password.user;
    note({ ...whoOf(asked), scope });
    const owner = directory.userOf(asked);
    if (!owner.isEnabled()) throw new Refusal("user_disabled");
    if (!owner.hasPassword(password)) throw new Refusal("wrong_password");
    if (Number(owner.passwordEndsAt) <= now()) {
      const message = `The password is expired and needs to be changed for user: ${owner.id}.`;
      throw new Refusal("password_expired", 401, { message });
    }
    assertOneFactor(owner);
    return { owner, scope, method };
  }

  if ("application_credential" in identity) {
    if (scope.kind !== "none") throw new Refusal("scope_with_application_credential");
    const { application_credential: given } = identity;
    const credential = findCredential(given, state, note);
    const { owner, project, secret, expiresAt: endsAt = Number.POSITIVE_INFINITY } = credential;
    const { name: user, account } = owner;
    note({ user, account, scope });
    if (!owner.isEnabled()) throw new Refusal("user_disabled");
    if (secret !== given.secret) throw new Refusal("wrong_secret");
    if (endsAt <= now()) throw new Refusal("application_credential_expired");
    assertOneFactor(owner);
    return { owner, scope: { kind: "project", project, account }, method, credential, endsAt };
  }

  const { status, record } = tokens.find(identity.token.id);
  note(describe(record));
  if (status !== "valid") throw new Refusal(`token_${status}`, 404);
  if (record.credential !== undefined) throw new Refusal("token_of_a_credential", 403);
  return { owner: record.owner, scope, method, endsAt: record.expiresAt };
}

/** Keystone's receipt stands for the first factor. */
function assertOneFactor({ secondFactor }: User): void {
  if (!secondFactor) return;
  const receipt = randomBytes(64).toString("base64url");
  const headers = [["Openstack-Auth-Receipt", receipt]] as const;
  throw new Refusal("second_factor_missing", 401, { headers });
}

function findCredential(
  given: AskedCredential,
  { directory: { credentials, userOf } }: State,
  note: Note,
): ApplicationCredential {
  let found: ApplicationCredential | undefined;
  if ("id" in given) found = credentials.find(({ id }) => id === given.id);
  else {
    note({ ...whoOf(given.user), scope: { kind: "none" } });
    const owner = userOf(given.user, 404);
    found = credentials.find((each) => each.name === given.name && each.owner === owner);
  }
  if (found !== undefined) return found;
  throw new Refusal("unknown_application_credential", "id" in given ? 404 : 401);
}
