import type * as z from "zod";
import { errorAnswer, expecting, isAnswer, unauthorized } from "./answers";
import {
  authSchema,
  type CredentialMember,
  type DomainMember,
  type ProjectMember,
  type UserMember,
} from "./auth-schema";
import type { IdentityAnswer, IdentityRequest } from "./exchange";

/** The scope of a request, before the check that it exists. */
export type ScopeMember =
  | { readonly kind: "account"; readonly account: DomainMember }
  | { readonly kind: "project"; readonly project: ProjectMember }
  | { readonly kind: "system" }
  | { readonly kind: "trust" }
  /** `explicit`: the request says so. */
  | { readonly kind: "none"; readonly explicit: boolean };

/** A well-formed request for a token. */
export interface AuthAttempt {
  /** In the order given, each once. */
  readonly methods: readonly string[];
  /**
   * Undefined if the member is present but empty: Keystone reports that after the scope.
   */
  readonly user: UserMember | undefined;
  readonly token: string | undefined;
  readonly credential: CredentialMember | undefined;
  readonly scope: ScopeMember;
}

/**
 * Reads the body of a token request, in Keystone's order: types, then required members, then the
 * methods, then the form of the scope. Returns an answer if the body is not valid.
 *
 * @see spec, "Issue an IAM token"
 */
export function parseAuthRequest(request: IdentityRequest): AuthAttempt | IdentityAnswer {
  const auth: unknown = request.json?.auth;
  if (auth === undefined || auth === null) return expecting("auth", "request body");
  const parsed = parseMember(authSchema, auth);
  if (isAnswer(parsed)) return parsed;
  const { identity, scope: asked } = parsed.member;
  const methods = [...new Set(identity.methods)];
  const bare = methods.find((method) => !Object.hasOwn(identity, method));
  if (bare !== undefined) return expecting(bare, "identity");
  if (methods.some((method) => !KNOWN_METHODS.includes(method))) return unsupportedMethod(request);
  const scope = parseScope(asked);
  if (isAnswer(scope)) return scope;
  const { password, token, application_credential: credential } = identity;
  return { methods, user: password?.user, token: token?.id, credential, scope };
}

/** A 401 that names the methods. */
export function unsupportedMethod(request: IdentityRequest): IdentityAnswer {
  const message = "Attempted to authenticate with an unsupported method.";
  const more = { identity: { methods: KNOWN_METHODS } };
  return unauthorized(request, { reason: "unsupported_method" }, message, more);
}

/** Those of a usual Keystone with federation. Three of them lead to a token here. */
export const KNOWN_METHODS: readonly string[] = [
  "external",
  "password",
  "token",
  "mapped",
  "application_credential",
  "openid",
  "totp",
];

/**
 * A member of a request's body, or a 400 about its first mistake. Like Keystone's, it repeats the
 * input, even passwords: clients must not print it.
 */
function parseMember<Member>(
  schema: z.ZodType<Member>,
  given: unknown,
): { readonly member: Member } | IdentityAnswer {
  const parsed = schema.safeParse(given, { reportInput: true });
  if (parsed.success) return { member: parsed.data };
  const [mistake] = parsed.error.issues;
  return malformed(
    `Invalid input for field '${mistake?.path.join("/")}': ${mistake?.message}\n\nOn instance:\n    ${JSON.stringify(mistake?.input)}`,
  );
}

const SCOPE_FORMS = ["system", "project", "domain", "OS-TRUST:trust", "unscoped"] as const;

function parseScope(scope: z.infer<typeof authSchema>["scope"]): ScopeMember | IdentityAnswer {
  if (scope === undefined) return { kind: "none", explicit: false };
  // Keystone checks whether a string contains a form, as with an object.
  const forms = SCOPE_FORMS.filter((form) =>
    typeof scope === "string" ? scope.includes(form) : Object.hasOwn(scope, form),
  );
  if (forms.length !== 1)
    return expecting("system, project, domain, OS-TRUST:trust or unscoped", "scope");
  if (forms[0] === "system") return { kind: "system" };
  if (forms[0] === "unscoped") return { kind: "none", explicit: true };
  // The literal words of a real Keystone.
  if (typeof scope === "string") return malformed("string indices must be integers, not 'str'");
  const { project: wanted, domain: account, "OS-TRUST:trust": trust } = scope;
  if (trust !== undefined) return trust.id ? { kind: "trust" } : expecting("trust_id", "trust");
  if (account !== undefined) return { kind: "account", account };
  if (wanted === undefined || (wanted.name && wanted.domain === undefined))
    return expecting("domain", "project");
  return { kind: "project", project: wanted };
}

function malformed(message: string): IdentityAnswer {
  return errorAnswer(400, message, { reason: "malformed_request" });
}
