import { TerraformStack, Token } from "cdktf";
import type { IConstruct } from "constructs";
import { IamTokensError, words } from "../../tokens";
import { EXPRESSION } from "../framework/internals";

/**
 * Whether Terraform, and not this program, knows the value: a CDK token, or a string that contains
 * one, `${…}` or `%{…}`.
 */
export function isUnresolved(value: unknown): boolean {
  return typeof value === "string" ? EXPRESSION.test(value) : Token.isUnresolved(value);
}

/** Runs a check for a construct: what it throws begins with the construct's path. */
export function withPath<T>(construct: IConstruct, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    throw error.with({ fact: words`[${construct.node.path}] ${error.parts.fact}` });
  }
}

/** Refuses a construct from another stack. */
export function assertSameStack(what: string, given: IConstruct, user: IConstruct): void {
  const owner = TerraformStack.of(given);
  if (owner === TerraformStack.of(user)) return;
  const problem = `The ${what} ${given.node.path} belongs to the stack ${owner.node.path}.`;
  throw new IamTokensError("ERR_OTHER_STACK", problem);
}
