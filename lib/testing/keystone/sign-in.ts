import * as z from "zod";
import { defined } from "../../tokens";
import type { ServedAnswer } from "../intercept";
import type { ApplicationCredential, AskedReference, AskedScope } from "./directory";
import { outsideAnswer, Refusal } from "./http";
import type { RequestedScope } from "./journal";
import type { Handler, Note, State } from "./state";
import { describe, tokenAnswer, type Wanted } from "./tokens";

const text = z.string().optional();
const domain = z
  .object({ id: text, name: text })
  .refine(({ id, name }) => (id ?? name) !== undefined);
/** A name needs a domain, even next to an id. */
const isWhole = (given: AskedReference) =>
  given.name === undefined ? given.id !== undefined : given.domain !== undefined;
const parts = { id: text, name: text, domain: domain.optional() };
const user = z.object(parts).refine(isWhole);
const secret = z.string();

const applicationCredential = z.union([
  z.object({ id: z.string(), secret }),
  z.object({ name: z.string(), user, secret }),
]);

const identity = z.union([
  z.object({
    methods: z.tuple([z.literal("password")]),
    password: z.object({ user: z.object({ ...parts, password: secret }).refine(isWhole) }),
  }),
  z.object({
    methods: z.tuple([z.literal("application_credential")]),
    application_credential: applicationCredential,
  }),
  z.object({
    methods: z.tuple([z.literal("token")]),
    token: z.object({ id: z.string() }),
  }),
]);

const scope = z.union([
  z.strictObject({ domain }),
  z.strictObject({ project: user }),
  z.literal("unscoped"),
]);

const authSchema = z.object({
  auth: z.object({ identity, scope: scope.default("unscoped") }),
});
type Auth = z.infer<typeof authSchema>["auth"];

/** POST …/v3/auth/tokens, as OpenStack's clients send it. @see spec, "Issue an IAM token" */
export const signIn: Handler = ({ body }, state, note) => {
  const auth = authOf(body);
  const asked = namesOf(auth.scope);
  note({ scope: asked });
  const login = logIn(auth.identity, asked, state, note);
  const { owner, credential } = login;
  // Judged after the user, so that the journal has the first reason.
  const scope = credential === undefined ? state.directory.scopeOf(auth.scope) : login.scope;
  note({ user: owner.name, account: owner.account, scope });
  state.directory.assertPermitted(owner, scope);
  return issue({ ...login, scope }, state, note);
};

/** A scope for the journal: by the names or ids that the client sent. */
function namesOf(asked: AskedScope): RequestedScope {
  if (asked === "unscoped") return { kind: "none" };
  const nameOf = ({ id = "", name = id }: AskedReference = {}) => name;
  if ("domain" in asked) return { kind: "account", account: nameOf(asked.domain) };
  const { project } = asked;
  return { kind: "project", project: nameOf(project), account: nameOf(project.domain) };
}

function issue(wanted: Wanted, state: State, note: Note): ServedAnswer {
  const record = state.tokens.issue(wanted);
  note(describe(record));
  return tokenAnswer(201, record, state);
}

function authOf(body: string): Auth {
  try {
    return authSchema.parse(JSON.parse(body)).auth;
  } catch {
    throw new Refusal("malformed_request", 400);
  }
}

/** @throws Refusal */
function logIn(
  identity: Auth["identity"],
  scope: RequestedScope,
  state: State,
  note: Note,
): Wanted {
  const { directory, tokens, now } = state;
  const [method] = identity.methods;

  if ("password" in identity) {
    const { password, ...asked } = identity.password.user;
    note({ ...whoOf(asked), scope });
    const owner = directory.user(asked);
    if (!owner.isEnabled) throw new Refusal("user_disabled");
    if (!owner.hasPassword(password)) throw new Refusal("wrong_password");
    return { owner, scope, method };
  }

  if ("application_credential" in identity) {
    if (scope.kind !== "none") throw new Refusal("scope_with_application_credential");
    const { application_credential: given } = identity;
    const credential = findCredential(given, state, note);
    const { owner, project, secret, expiresAt: endsAt = Number.POSITIVE_INFINITY } = credential;
    const { name: user, account } = owner;
    note({ user, account, scope });
    if (!owner.isEnabled) throw new Refusal("user_disabled");
    if (secret !== given.secret) throw new Refusal("wrong_secret");
    if (endsAt <= now()) throw new Refusal("application_credential_expired");
    return { owner, scope: { kind: "project", project, account }, method, credential, endsAt };
  }

  const { status, record } = tokens.find(identity.token.id);
  note(describe(record));
  if (status !== "valid") throw new Refusal(`token_${status}`, 404);
  if (record.credential !== undefined) throw new Refusal("token_of_a_credential", 403);
  return { owner: record.owner, scope, method, endsAt: record.expiresAt };
}

/** The user for the journal: by the name or the id that the client sent. */
function whoOf({ id = "", name = id, domain }: AskedReference) {
  return { user: name, ...defined({ account: domain?.name ?? domain?.id }) };
}

function findCredential(
  given: z.infer<typeof applicationCredential>,
  { directory }: State,
  note: Note,
): ApplicationCredential {
  if ("id" in given) {
    const found = directory.credentials.find(({ id }) => id === given.id);
    if (found !== undefined) return found;
    throw new Refusal("unknown_application_credential", 404);
  }
  note({ ...whoOf(given.user), scope: { kind: "none" } });
  const owner = directory.user(given.user, 404);
  const found = directory.credentials.find(
    (credential) => credential.name === given.name && credential.owner === owner,
  );
  if (found !== undefined) return found;
  throw new Refusal("unknown_application_credential");
}

/** The path of a sign-in by an identity token: with the provider and the protocol. */
export const FEDERATED =
  /^\/identity\/v3\/OS-FEDERATION\/identity_providers\/([^/]+)\/protocols\/([^/]+)\/auth$/;

/** The limit of Apache for a line of a request's head, here of the value. */
const MAX_HEADER = 8190 - "Authorization: ".length;

/** Those of a usual Keystone, whether or not a provider has them. */
const PROTOCOLS: readonly string[] = ["mapped", "openid"];

/** POST FEDERATED: an unscoped token for an identity token, which Apache checks before Keystone. */
export const signInByIdentityToken: Handler = ({ path, headers }, state, note) => {
  const { federation } = state;
  const { authorization = "" } = headers;
  const [, token = ""] = /^Bearer (.+)$/i.exec(authorization) ?? [];
  const isLong = authorization.length > MAX_HEADER;
  const { iss, sub, aud } = (isLong ? undefined : federation.check(token)) ?? {};
  if (typeof sub !== "string" || sub === "") {
    note({ reason: "identity_token_invalid" });
    return outsideAnswer(isLong ? 400 : 401, {});
  }
  note({ user: sub });
  const [, id = "", protocol = ""] = (FEDERATED.exec(path) ?? []).map(decoded);
  const provider = federation.provider(id);
  if (provider?.protocol !== protocol) {
    // Keystone knows a protocol as a method of signing in, for all providers.
    const known = federation.providers.map((each) => each.protocol);
    const isKnown = [...PROTOCOLS, ...known].includes(protocol);
    throw new Refusal("unknown_identity_provider", isKnown ? 404 : 401);
  }
  if (iss !== provider.issuer) throw new Refusal("issuer_not_accepted", 403);
  // Apache joins several with a comma, which is then another string.
  if (provider.audience !== undefined && String(aud) !== provider.audience)
    throw new Refusal("audience_not_accepted");
  const owner = federation.user(provider, sub);
  return issue({ owner, scope: { kind: "none" }, method: protocol }, state, note);
};

/** A part of a path. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Refusal("malformed_request", 400);
  }
}

/** GET …&audience=…, with the job's bearer: as GitHub gives an identity token. */
export const giveIdToken: Handler = ({ query, headers }, { federation }, note) => {
  const job = federation.job(headers.authorization?.replace(/^Bearer /, "") ?? "");
  if (job === undefined) {
    note({ reason: "token_unknown" });
    return outsideAnswer(401, {});
  }
  const aud = new URLSearchParams(query).get("audience") ?? "https://github.com/octo-org";
  const value = federation.issue({ ...job, aud });
  return outsideAnswer(200, { count: value.length, value });
};
