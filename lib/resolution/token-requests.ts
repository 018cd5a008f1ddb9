import { DefaultTokenResolver, StringConcat, type TerraformStack, Tokenization } from "cdktf";
import type { TokenRecord } from "../constructs/declarations/registry";
import { tryValueFile } from "../delivery/values";
import { IamTokensError } from "../tokens";
import { type Failure, failureOf } from "./failures";
import type { IssueJob, KnownArguments } from "./issuing";
import { knownArguments } from "./known-arguments";
import type { Plan } from "./plan";

/** A token of a stack, with the job that gets it. */
export interface TokenRequest {
  readonly record: TokenRecord;
  readonly job: IssueJob;
}

/**
 * Finds the jobs of stacks' tokens, and what would prevent their use: a declaration that Terraform
 * alone can evaluate, a folder that cannot be written to.
 */
export function requestsOf(
  plans: readonly Plan[],
  project: string,
): { readonly requests: readonly TokenRequest[]; readonly failures: readonly Failure[] } {
  const failures: Failure[] = [];
  const attempt = <T>(path: string, action: () => T): T | undefined => {
    try {
      return action();
    } catch (error) {
      failures.push(failureOf(path, error));
      return undefined;
    }
  };
  const requests = plans.flatMap(({ stack, provider, records, destination }) => {
    const stackFolder = provider._stackFolder;
    const known = (given: Readonly<Record<string, unknown>>): KnownArguments =>
      knownArguments(resolvedIn(stack, given), { project, stackFolder });
    const its = records.map((record) =>
      attempt(record.construct.node.path, () => ({ record, job: jobOf(record, known) })),
    );
    if (destination.isWritten) attempt(stack.node.path, () => tryValueFile(stackFolder));
    return its.filter((request) => request !== undefined);
  });
  return { requests, failures };
}

function jobOf(
  { blockType, isInState, identity, arguments: block }: TokenRecord,
  known: (given: Readonly<Record<string, unknown>>) => KnownArguments,
): IssueJob {
  return {
    blockType,
    keptIn: isInState ? "state" : "memory",
    provider: identity === undefined ? {} : known(identity.arguments(asGiven)),
    block: known(block(asGiven)),
  };
}

/** Paths as the program gives them: relative to the folder that the provider starts from here. */
const asGiven = (path: string) => path;

/** CDK tokens as strings. One that cannot be resolved now counts as unknown, like an expression. */
function resolvedIn(
  stack: TerraformStack,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  try {
    const options = { scope: stack, resolver: new DefaultTokenResolver(new StringConcat()) };
    return Tokenization.resolve(given, options) as Readonly<Record<string, unknown>>;
  } catch (error) {
    if (IamTokensError.is(error)) throw error;
    throw new IamTokensError(
      "ERR_RESOLUTION_UNKNOWN",
      "An argument cannot be resolved before synthesis.",
    );
  }
}
