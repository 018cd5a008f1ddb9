import { IamTokensError } from "../../tokens";
import type { Proof, Scope } from "../credential";
import type { Limits } from "../limits";
import type { Answer } from "../transport/transport";
import { jsonOf, objectIn } from "./keystone-error";

/** Expectations for an answer. */
export interface IssueContext {
  readonly credential: Proof;
  readonly scope: Scope;
  readonly limits: Limits;
  /** The attempts so far, for messages; "" after a single one. */
  readonly attempts: string;
  /** Whether the credential got a token before. Default: no. */
  readonly wasAccepted?: boolean;
}

/**
 * The part of a successful answer's `token` that is read. Each member is lenient by itself: an
 * unreadable time cannot hide a scope that names another project.
 *
 * @see spec, "Issue an IAM token", rule 5 (the body is not shown)
 */
export interface IssuedTokenBody {
  readonly expires_at: string | undefined;
  readonly issued_at: string | undefined;
  readonly user: { readonly domain: Named | undefined } | undefined;
  readonly domain: Named | undefined;
  readonly project: (Named & { readonly domain: Named | undefined }) | undefined;
  readonly system: object | undefined;
}

interface Named {
  readonly name: string | undefined;
}

/**
 * The `token` of the answer's body; undefined if the body is missing, incomplete or not Keystone's.
 * Unexpected values count as missing: the service's specification does not describe the body, so it
 * guarantees none of it.
 */
export function bodyOf(answer: Answer): IssuedTokenBody | undefined {
  const token = objectIn(jsonOf(answer), "token");
  if (token === undefined) return undefined;
  const [user, project] = [objectIn(token, "user"), objectIn(token, "project")];
  return {
    expires_at: textOf(token.expires_at),
    issued_at: textOf(token.issued_at),
    user: user && { domain: domainIn(user) },
    domain: domainIn(token),
    project: project && { name: nameOf(project.name), domain: domainIn(project) },
    system: objectIn(token, "system"),
  };
}

function domainIn(value: unknown): Named | undefined {
  const domain = objectIn(value, "domain");
  return domain && { name: nameOf(domain.name) };
}

const textOf = (value: unknown) => (typeof value === "string" ? value : undefined);

/** A number counts as its digits: a service that omits the quotes still means that name. */
const nameOf = (value: unknown) => textOf(Number.isFinite(value) ? String(value) : value);

/**
 * Refuses a body that explicitly names another scope than the requested one. Missing names are
 * accepted. The error does not repeat the service's name.
 *
 * @throws ERR_SCOPE_MISMATCH
 */
export function assertScope(body: IssuedTokenBody, context: IssueContext, about: string): void {
  const other = otherScope(body, context);
  if (other === undefined) return;
  const asked = context.scope.kind === "account" ? "the account" : "one project";
  // It has one scope, which no request can change: what was expected of it is wrong.
  if (context.credential.way === "application credential") {
    throw new IamTokensError(
      "ERR_SCOPE_MISMATCH",
      `${about} issued a token for ${other}: the application credential is not for the given ${
        other === "another project" ? "project" : "account"
      }.`,
      { remedy: "Correct project_name and account_id, or leave them out." },
    );
  }
  throw new IamTokensError(
    "ERR_SCOPE_MISMATCH",
    `A token for ${asked} was requested, but ${about} issued one for ${other}.`,
  );
}

function otherScope(
  body: IssuedTokenBody,
  { credential, scope }: IssueContext,
): string | undefined {
  const differs = (name: string | undefined, asked: string | undefined) =>
    name !== undefined && asked !== undefined && name !== asked;
  if (body.system !== undefined) return "the whole system";
  // The user of an identity token belongs to the identity provider, not to the account.
  if (credential.way !== "identity token" && differs(body.user?.domain?.name, credential.accountId))
    return "another account's user";
  if (scope.kind === "account") {
    if (body.project !== undefined) return "a project";
    return differs(body.domain?.name, credential.accountId) ? "another account" : undefined;
  }
  if (body.domain !== undefined) return "an account";
  if (differs(body.project?.name, scope.projectName)) return "another project";
  return differs(body.project?.domain?.name, credential.accountId)
    ? "a project of another account"
    : undefined;
}
