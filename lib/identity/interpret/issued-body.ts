import * as z from "zod/mini";
import { IamTokensError } from "../../tokens";
import type { Credential, Scope } from "../credential";
import type { Limits } from "../limits";
import type { Answer } from "../transport/transport";

/** What an answer is judged against. */
export interface IssueContext {
  readonly credential: Credential;
  readonly scope: Scope;
  readonly limits: Limits;
  /** The tries so far, for messages; "" after a single one. */
  readonly told: string;
}

// zod/mini and not zod: the same checks in a quarter of the bytes (25 kB against 85 kB bundled,
// about 6 ms less to load).

/**
 * Anything that is not of the form is as if it were not there: the spec does not show the body, so
 * nothing in it is owed.
 */
const lenient = <T extends z.core.$ZodType>(schema: T) => z.catch(z.optional(schema), undefined);

/**
 * A name; a number is read as its text, so that a service that forgets the quotes still names what
 * it names.
 */
const name = lenient(
  z.union([
    z.string(),
    z.pipe(
      z.number(),
      z.transform((value) => String(value)),
    ),
  ]),
);

const domain = lenient(z.object({ name }));

/**
 * What is read of the body of a successful answer. Each member is lenient by itself, so that an
 * unreadable time cannot hide a scope that names another project.
 *
 * @see spec, "Issue an IAM token", rule 5 (the body is not shown)
 */
export const issueAnswerBodySchema = z.object({
  token: z.object({
    expires_at: lenient(z.string()),
    issued_at: lenient(z.string()),
    user: lenient(z.object({ domain })),
    domain,
    project: lenient(z.object({ name, domain })),
    system: lenient(z.looseObject({})),
  }),
});

/** The `token` member of an answer's body. */
export type IssuedTokenBody = z.infer<typeof issueAnswerBodySchema>["token"];

/**
 * The `token` of the answer's body; undefined when the body is missing, cut off or not Keystone's.
 * The spec does not show it.
 */
export function bodyOf(answer: Answer): IssuedTokenBody | undefined {
  if (answer.end !== "complete" || answer.body.length === 0) return undefined;
  try {
    const parsed = issueAnswerBodySchema.safeParse(
      JSON.parse(new TextDecoder().decode(answer.body)),
    );
    return parsed.success ? parsed.data.token : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Refuses a body that positively names another scope than was asked for. What it does not name is
 * not held against it. The name that it does have is the service's text, and not repeated.
 *
 * @throws ERR_SCOPE_MISMATCH
 */
export function assertScope(body: IssuedTokenBody, context: IssueContext, about: string): void {
  const other = otherScope(body, context);
  if (other === undefined) return;
  const asked = context.scope.kind === "account" ? "the account" : "one project";
  throw new IamTokensError(
    "ERR_SCOPE_MISMATCH",
    `${about} was asked for a token of ${asked}, and issued one of ${other}.`,
  );
}

function otherScope(
  body: IssuedTokenBody,
  { credential, scope }: IssueContext,
): string | undefined {
  const differs = (name: string | undefined, asked: string) => name !== undefined && name !== asked;
  if (body.system !== undefined) return "the whole system";
  if (differs(body.user?.domain?.name, credential.accountId)) return "another account's user";
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
