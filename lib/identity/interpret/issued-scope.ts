import { IamTokensError } from "../../tokens";
import type { IssuedTokenBody } from "../schemas";
import type { IssueContext } from "./context";

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
