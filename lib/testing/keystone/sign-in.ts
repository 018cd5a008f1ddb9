import * as z from "zod";
import type { GrantedScope, TokenOwner } from "./directory";
import {
  errorAnswer,
  type IdentityAnswer,
  type IdentityRequest,
  isAnswer,
  outsideAnswer,
  unauthorized,
} from "./http";
import type { Noted, RefusalReason, RequestedScope } from "./journal";
import type { Handler, State } from "./state";
import { describe, tokenAnswer, type Wanted } from "./tokens";

const domain = z.object({ name: z.string() });
const user = z.object({ name: z.string(), domain });
const authSchema = z.object({
  auth: z.object({
    identity: z.union([
      z.object({
        methods: z.tuple([z.literal("password")]),
        password: z.object({ user: user.extend({ password: z.string() }) }),
      }),
      z.object({
        methods: z.tuple([z.literal("application_credential")]),
        application_credential: z.union([
          z.object({ id: z.string(), secret: z.string() }),
          z.object({ name: z.string(), user, secret: z.string() }),
        ]),
      }),
      z.object({
        methods: z.tuple([z.literal("token")]),
        token: z.object({ id: z.string() }),
      }),
    ]),
    scope: z
      .union([
        z.object({ domain }),
        z.object({ project: z.object({ name: z.string(), domain }) }),
        z.literal("unscoped"),
      ])
      .optional(),
  }),
});
type Auth = z.infer<typeof authSchema>["auth"];

/** POST …/v3/auth/tokens, as OpenStack's clients send it. @see spec, "Issue an IAM token" */
export const signIn: Handler = (request, state) => {
  const auth = authOf(request);
  if (auth === undefined)
    return errorAnswer(400, "Expecting to find auth in request body.", {
      reason: "malformed_request",
    });
  const noted = notedOf(auth);
  const login = logIn(auth, state, { request, noted });
  if (isAnswer(login)) return login;
  if (!state.directory.permits(login.owner, login.scope))
    return unauthorized(request, "no_permission", { ...noted, ...ownerOf(login.owner) });
  return tokenAnswer(201, state.tokens.issue(login), state);
};

function authOf({ body }: IdentityRequest): Auth | undefined {
  try {
    return authSchema.parse(JSON.parse(body)).auth;
  } catch {
    return undefined;
  }
}

interface Asking {
  readonly request: IdentityRequest;
  readonly noted: Noted;
}

function logIn(
  { identity, scope }: Auth,
  { directory, tokens, now }: State,
  { request, noted }: Asking,
): Wanted | IdentityAnswer {
  const refuse = (reason: RefusalReason, more: Noted = {}) =>
    unauthorized(request, reason, { ...noted, ...more });
  const isCredential = "application_credential" in identity;
  if (isCredential && scope !== undefined) return refuse("scope_with_application_credential");
  const wanted = findScope(scope, directory);
  if (typeof wanted === "string") return refuse(wanted);
  const [method] = identity.methods;

  if ("password" in identity) {
    const { name, domain: account, password } = identity.password.user;
    const owner = directory.user(account.name, name);
    if (owner === undefined)
      return refuse(directory.account(account.name) ? "unknown_user" : "unknown_account");
    if (!owner.isEnabled) return refuse("user_disabled");
    if (!owner.hasPassword(password)) return refuse("wrong_password");
    // Keystone uses roles for this; rule 3 is specific to this service.
    if (!owner.isServiceUser) return refuse("not_a_service_user");
    return { owner, scope: wanted, method };
  }

  if (isCredential) {
    const { application_credential: given } = identity;
    const found = directory.credentials.find(({ id, name, owner }) =>
      "id" in given
        ? id === given.id
        : name === given.name && owner === directory.user(given.user.domain.name, given.user.name),
    );
    if (found === undefined && "user" in given) {
      const { name, domain: account } = given.user;
      if (directory.user(account.name, name)) return refuse("unknown_application_credential");
      if (!directory.account(account.name)) return refuse("unknown_account");
      const known = { ...noted, reason: "unknown_user" } as const;
      return errorAnswer(404, `Could not find user: ${name}.`, known);
    }
    if (found === undefined)
      return errorAnswer(404, "Could not find Application Credential.", {
        reason: "unknown_application_credential",
      });
    const { owner, secret, expiresAt: endsAt } = found;
    const known = ownerOf(owner);
    if (!owner.isEnabled) return refuse("user_disabled", known);
    if (secret !== given.secret) return refuse("wrong_secret", known);
    if (endsAt !== undefined && endsAt <= now())
      return refuse("application_credential_expired", known);
    return { owner, scope: found.scope, method, credential: found, endsAt };
  }

  const { status, record } = tokens.find(identity.token.id);
  if (status !== "valid")
    return errorAnswer(404, "Failed to validate token", {
      ...describe(record),
      reason: `token_${status}`,
    });
  if (record.credential !== undefined)
    return errorAnswer(403, "You are not authorized to perform the requested action.", {
      ...describe(record),
      reason: "token_of_a_credential",
    });
  return { owner: record.owner, scope: wanted, method, endsAt: record.expiresAt };
}

const ownerOf = ({ name, account }: TokenOwner): Noted => ({ user: name, account: account.name });

/** The scope, or why it does not exist here. */
function findScope(
  scope: Auth["scope"],
  directory: State["directory"],
): GrantedScope | RefusalReason {
  if (scope === undefined || scope === "unscoped") return { kind: "none" };
  const { name: number } = "domain" in scope ? scope.domain : scope.project.domain;
  const account = directory.account(number);
  if (account === undefined) return "unknown_account";
  if ("domain" in scope) return { kind: "account", account };
  const project = directory.project(number, scope.project.name);
  return project === undefined ? "unknown_project" : { kind: "project", project };
}

/** What the client has sent, apart from secrets. */
function notedOf({ identity, scope }: Auth): Noted {
  const given =
    "password" in identity
      ? identity.password.user
      : "application_credential" in identity && "user" in identity.application_credential
        ? identity.application_credential.user
        : undefined;
  return {
    ...(given === undefined ? {} : { user: given.name, account: given.domain.name }),
    scope: requestedOf(scope),
  };
}

function requestedOf(scope: Auth["scope"]): RequestedScope {
  if (scope === undefined || scope === "unscoped") return { kind: "none" };
  if ("domain" in scope) return { kind: "account", account: scope.domain.name };
  const { name, domain: account } = scope.project;
  return { kind: "project", project: name, account: account.name };
}

/** The path of a sign-in by an identity token: with the provider and the protocol. */
export const FEDERATED =
  /^\/identity\/v3\/OS-FEDERATION\/identity_providers\/([^/]+)\/protocols\/([^/]+)\/auth$/;

/** The limit of Apache for a line of a request's head, here of the value. */
const MAX_HEADER = 8190 - "Authorization: ".length;

/** Those of a usual Keystone, whether or not a provider has them. */
const PROTOCOLS: readonly string[] = ["mapped", "openid"];

/** POST FEDERATED: an unscoped token for an identity token, which Apache checks before Keystone. */
export const signInByIdentityToken: Handler = (request, state) => {
  const { federation } = state;
  const { authorization = "" } = request.headers;
  if (authorization.length > MAX_HEADER)
    return outsideAnswer(400, { message: "Bad Request" }, { reason: "identity_token_invalid" });
  const [, token = ""] = /^Bearer (.+)$/i.exec(authorization) ?? [];
  const { iss, sub, aud } = federation.check(token) ?? {};
  if (typeof sub !== "string" || sub === "")
    return outsideAnswer(401, { message: "Unauthorized" }, { reason: "identity_token_invalid" });
  const [, id = "", protocol = ""] = (FEDERATED.exec(request.path) ?? []).map(decodeURIComponent);
  const noted = { user: sub };
  const provider = federation.provider(id);
  if (provider?.protocol !== protocol) return unknown(request, state, id, protocol);
  if (iss !== provider.issuer)
    return errorAnswer(403, "You are not authorized to perform the requested action.", {
      ...noted,
      reason: "issuer_not_accepted",
    });
  // Apache joins several with a comma, which is then another string.
  if (provider.audience !== undefined && String(aud) !== provider.audience)
    return unauthorized(request, "audience_not_accepted", noted);
  const owner = federation.user(provider, sub);
  const wanted = { owner, scope: { kind: "none" }, method: protocol } as const;
  return tokenAnswer(201, state.tokens.issue(wanted), state);
};

function unknown(
  request: IdentityRequest,
  { directory }: State,
  id: string,
  protocol: string,
): IdentityAnswer {
  const reason = "unknown_identity_provider";
  // Keystone knows a protocol as a method of signing in, for all providers.
  const own = directory.identityProviders.map((provider) => provider.protocol);
  if (![...PROTOCOLS, ...own].includes(protocol)) return unauthorized(request, reason);
  return errorAnswer(404, `Could not find Identity Provider: ${id}.`, { reason });
}

/** GET …&audience=…, with the job's bearer: as GitHub gives an identity token. */
export const giveIdToken: Handler = ({ query, headers }, { federation }) => {
  const job = federation.job(headers.authorization?.replace(/^Bearer /, "") ?? "");
  if (job === undefined)
    return outsideAnswer(401, { message: "Unauthorized" }, { reason: "token_unknown" });
  const aud = new URLSearchParams(query).get("audience") ?? "https://github.com/octo-org";
  const value = federation.issue({ ...job, aud });
  return outsideAnswer(200, { count: value.length, value });
};
