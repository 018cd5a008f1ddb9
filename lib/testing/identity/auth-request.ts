import {
  AUTH_SCHEMA,
  type AuthMember,
  type DomainMember,
  type ProjectMember,
  type UserMember,
} from "./auth-schema";
import type { IdentityAnswer, IdentityRequest } from "./exchange";
import { firstMistake } from "./json-schema";
import { errorAnswer, expecting, isAnswer, unauthorized } from "./keystone-answers";
import { isRecord } from "./python/python-text";

/** The scope of a request, before anybody has looked whether it exists. */
export type ScopeMember =
  | { readonly kind: "account"; readonly account: DomainMember }
  | { readonly kind: "project"; readonly project: ProjectMember }
  | { readonly kind: "system" }
  | { readonly kind: "trust" }
  /** `explicit`: the client asked for an unscoped token, and does not get its default project. */
  | { readonly kind: "none"; readonly explicit: boolean };

/** A well-formed request for a token. */
export interface AuthAttempt {
  /** In the order given, each once. */
  readonly methods: readonly string[];
  /**
   * Undefined when the member is there and empty: what Keystone says of it comes after the scope.
   */
  readonly user: UserMember | undefined;
  readonly token: string | undefined;
  readonly scope: ScopeMember;
}

/**
 * Reads the body of a token request, in Keystone's order: types, then what must be there, then the
 * methods, then the form of the scope. What comes back as an answer is for what cannot be read.
 *
 * @see spec, "Issue an IAM token"
 */
export function parseAuthRequest(request: IdentityRequest): AuthAttempt | IdentityAnswer {
  const auth: unknown = request.json?.auth;
  if (auth === undefined || auth === null) return expecting("auth", "request body");
  const mistake = firstMistake(auth, AUTH_SCHEMA);
  if (mistake !== undefined) return malformed(mistake);
  // The schema has just said so.
  const member = auth as AuthMember;
  const { identity } = member;
  const nameless = firstNameless(member);
  if (nameless !== undefined)
    return malformed(`Invalid input for field ${nameless}: id or name must be present.`);
  const methods = [...new Set(identity.methods)];
  const bare = methods.find((method) => !Object.hasOwn(identity, method));
  if (bare !== undefined) return expecting(bare, "identity");
  if (methods.some((method) => !KNOWN_METHODS.includes(method))) return unsupported(request);
  const scope = parseScope(member.scope);
  if (isAnswer(scope)) return scope;
  return { methods, user: identity.password?.user, token: identity.token?.id, scope };
}

/** Those of a usual Keystone. Of them, password and token lead to a token here. */
const KNOWN_METHODS: readonly string[] = [
  "external",
  "password",
  "token",
  "oauth1",
  "mapped",
  "application_credential",
];

function unsupported(request: IdentityRequest): IdentityAnswer {
  return unauthorized(request, {
    noted: { reason: "unsupported_method" },
    message: "Attempted to authenticate with an unsupported method.",
    more: { identity: { methods: KNOWN_METHODS } },
  });
}

/** The first part that has neither id nor name. */
function firstNameless({ identity, scope }: AuthMember): string | undefined {
  const user = identity.password?.user;
  const { project, domain } = typeof scope === "object" ? scope : {};
  const parts: readonly (readonly [string, DomainMember | undefined])[] = [
    ["identity/password/user", user],
    ["identity/password/user/domain", user?.domain],
    ["scope/project", project],
    ["scope/project/domain", project?.domain],
    ["scope/domain", domain],
  ];
  return parts.find(
    ([, part]) => part !== undefined && part.id === undefined && part.name === undefined,
  )?.[0];
}

const SCOPE_FORMS = ["system", "project", "domain", "OS-TRUST:trust", "unscoped"] as const;

function parseScope(scope: AuthMember["scope"]): ScopeMember | IdentityAnswer {
  if (scope === undefined) return { kind: "none", explicit: false };
  // Keystone asks a text whether it contains a form, as it asks an object.
  const forms = SCOPE_FORMS.filter((form) =>
    typeof scope === "string" ? scope.includes(form) : Object.hasOwn(scope, form),
  );
  if (forms.length !== 1)
    return expecting("system, project, domain, OS-TRUST:trust or unscoped", "scope");
  if (forms[0] === "system") return { kind: "system" };
  if (forms[0] === "unscoped") return { kind: "none", explicit: true };
  // Keystone's own words, as a real one says them.
  if (typeof scope === "string") return malformed("string indices must be integers, not 'str'");
  const { project, domain, "OS-TRUST:trust": trust } = scope;
  if (trust !== undefined) return trust.id ? { kind: "trust" } : expecting("trust_id", "trust");
  if (domain !== undefined) return { kind: "account", account: domain };
  if (project === undefined || (project.name && project.domain === undefined))
    return expecting("domain", "project");
  return { kind: "project", project };
}

function malformed(message: string): IdentityAnswer {
  return errorAnswer(400, message, { reason: "malformed_request" });
}

/**
 * What Keystone says of a body before it looks at the path; undefined when it is none, or a JSON
 * object.
 */
export function checkBody(
  headers: IdentityRequest["headers"],
  body: Buffer,
): IdentityAnswer | undefined {
  if (body.length === 0) return undefined;
  const contentType = headers["content-type"] ?? "";
  if (contentType !== "" && !/^application\/(json|[\w.-]+\+json)\s*([;,]|$)/i.test(contentType)) {
    return expecting("application/json", "Content-Type header");
  }
  return parseJsonObject(body) === undefined ? expecting("valid JSON", "request body") : undefined;
}

/** Undefined when it is empty or no JSON object. */
export function parseJsonObject(body: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
