import { type AuthMember, checkAuth } from "./auth-schema";
import type { RequestedScope } from "./directory";
import type { IdentityAnswer, IdentityRequest } from "./exchange";
import { errorAnswer, expecting, unauthorized } from "./keystone-answers";

/** A well-formed request for a token by password. */
export interface AuthAttempt {
  readonly account: string;
  readonly user: string;
  readonly password: string;
  readonly scope: RequestedScope;
}

/** Either what was asked, or the answer to what cannot be read. */
export type ParsedAuth = { readonly attempt: AuthAttempt } | { readonly answer: IdentityAnswer };

/**
 * Reads a token request, in Keystone's order: content type, JSON, types, scope, then the user.
 *
 * @see spec, "Issue an IAM token"
 */
export function parseAuthRequest(request: IdentityRequest): ParsedAuth {
  const contentType = request.headers["content-type"];
  if (contentType !== undefined && !/^application\/json\s*(;|$)/i.test(contentType)) {
    return { answer: expecting("application/json", "Content-Type header") };
  }
  if (request.body.length === 0) return { answer: expecting("auth", "request body") };
  const body = parseJsonObject(request.body);
  if (body === undefined) return { answer: expecting("valid JSON", "request body") };
  if (!("auth" in body)) return { answer: expecting("auth", "request body") };
  const auth = checkAuth(body.auth);
  if ("status" in auth) return { answer: auth as IdentityAnswer };
  return parseAuth(auth, request);
}

function parseAuth({ identity, scope: asked }: AuthMember, request: IdentityRequest): ParsedAuth {
  const scope = parseScope(asked);
  if ("status" in scope) return { answer: scope };
  const { methods } = identity;
  if (methods.length === 0) return { answer: unauthorized(request, { reason: "malformed_request" }) };
  if (methods.some((method) => method !== "password")) {
    const message = "Attempted to authenticate with an unsupported method.";
    return {
      answer: unauthorized(request, { reason: "unsupported_method" }, message, { identity: { methods: ["password"] } }),
    };
  }
  if (identity.password === undefined) return { answer: expecting("password", "identity") };
  const user = identity.password.user;
  // Keystone's own words, as a real one says them.
  if (user === undefined) return { answer: expecting("user", "None") };
  if (user.name === undefined) return { answer: nameMissing("identity/password/user") };
  if (user.domain === undefined) return { answer: expecting("domain", "user") };
  if (user.domain.name === undefined) return { answer: nameMissing("identity/password/user/domain") };
  const noted = { user: user.name, account: user.domain.name, scope };
  // Keystone treats a missing password as a wrong one.
  if (user.password === undefined) return { answer: unauthorized(request, { ...noted, reason: "wrong_password" }) };
  return { attempt: { ...noted, password: user.password } };
}

function parseScope(scope: AuthMember["scope"]): RequestedScope | IdentityAnswer {
  if (scope === undefined || scope === "unscoped") return { kind: "none" };
  const forms = typeof scope === "string" ? [] : ["system", "project", "domain", "unscoped"].filter((form) => form in scope);
  if (typeof scope === "string" || forms.length !== 1) {
    return expecting("system, project, domain, OS-TRUST:trust or unscoped", "scope");
  }
  if ("unscoped" in scope) return { kind: "none" };
  if ("system" in scope) return { kind: "system" };
  if (scope.project === undefined) {
    const account = scope.domain?.name;
    return account === undefined ? nameMissing("scope/domain") : { kind: "account", account };
  }
  const { name, domain } = scope.project;
  if (name === undefined) return nameMissing("scope/project");
  if (domain === undefined) return expecting("domain", "project");
  if (domain.name === undefined) return nameMissing("scope/project/domain");
  return { kind: "project", project: name, account: domain.name };
}

/** Ids are Keystone's other way to refer; the spec has names only, and so has this service so far. */
function nameMissing(field: string): IdentityAnswer {
  return errorAnswer(400, `Invalid input for field ${field}: id or name must be present.`, { reason: "malformed_request" });
}

function parseJsonObject(body: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
