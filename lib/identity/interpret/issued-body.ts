import * as z from "zod/mini";
import { IamTokensError, quote } from "../../tokens";
import type { Proof, Scope } from "../credential";
import type { Limits } from "../limits";
import type { Answer } from "../transport/transport";
import { jsonOf } from "./answer";

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

// zod/mini instead of zod: the same checks in a quarter of the size.

/**
 * Unexpected values count as missing: the service's specification does not describe the body, so it
 * guarantees none of it. (By z.catch, the same would take a millisecond longer to load.)
 */
const lenient = <Schema extends z.core.$ZodType>(schema: Schema) =>
  z.optional(z.transform((value: unknown) => z.safeParse(schema, value).data));

/** A number counts as its digits: a service that omits the quotes still means that name. */
const text = z.optional(
  z.transform((value: unknown) =>
    typeof value === "string" || typeof value === "number" ? String(value) : undefined,
  ),
);

const domain = lenient(z.object({ name: text }));

/**
 * The part of a successful answer's body that is read. Each member is lenient by itself: an
 * unreadable time cannot hide a scope that names another project.
 *
 * @see spec, "Issue an IAM token", rule 5 (the body is not shown)
 */
const issuedBody = z.object({
  token: z.object({
    expires_at: text,
    issued_at: text,
    user: lenient(z.object({ domain })),
    domain,
    project: lenient(z.object({ name: text, domain })),
    system: lenient(z.object({})),
  }),
});

/** The `token` member of an answer's body. */
export type IssuedTokenBody = z.infer<typeof issuedBody>["token"];

/**
 * The `token` of the answer's body; undefined if the body is missing, incomplete or not Keystone's.
 */
export const bodyOf = (answer: Answer): IssuedTokenBody | undefined =>
  issuedBody.safeParse(jsonOf(answer)).data?.token;

/**
 * Refuses a body that explicitly names another scope than the requested one. Missing names are
 * accepted. The error repeats one name of the answer: the project of an application credential.
 *
 * @throws ERR_SCOPE_MISMATCH
 */
export function assertScope(body: IssuedTokenBody, context: IssueContext, about: string): void {
  const { credential, scope } = context;
  const other = otherScope(body, context);
  if (other === undefined) return;
  if (credential.way !== "application credential") {
    const asked = scope.kind === "account" ? "the account" : "one project";
    throw new IamTokensError(
      "ERR_SCOPE_MISMATCH",
      `A token for ${asked} was requested, but ${about} issued one for ${other}.`,
    );
  }
  // It has one scope, which no request can change: what was expected of it is wrong.
  const own = other === "another project" ? body.project?.name : undefined;
  const isSafe = own !== undefined && !own.includes(credential.secret.reveal());
  throw new IamTokensError(
    "ERR_SCOPE_MISMATCH",
    `${about} issued a token for ${other}${isSafe ? `, ${quote(own)}` : ""}: the application credential is not for the given ${
      own === undefined ? "account" : "project"
    }.`,
    { remedy: "Correct project_name and account_id, or leave them out." },
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
