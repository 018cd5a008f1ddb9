import { type TerraformStack, Tokenization } from "cdktf";
import type { TokenRecord } from "../constructs/declarations/registry";
import { MarkingResolver } from "../constructs/declarations/token-reference";
import { EmbeddedProvider } from "../constructs/embedded-provider";
import { IamTokensError } from "../tokens";
import { type Failure, failureOf } from "./failures";
import type { IssueJob, KnownArguments } from "./issuing";
import { knownArguments } from "./known-arguments";

/** A token of a stack, with the job that gets it. */
export interface RequestedToken {
  readonly record: TokenRecord;
  readonly job: IssueJob;
}

/** Finds the jobs of a stack's tokens. No I/O except for the real names of folders. */
export function tokenRequestsOf(
  stack: TerraformStack,
  records: readonly TokenRecord[],
  project: string,
): { readonly requested: readonly RequestedToken[]; readonly failures: Failure[] } {
  const requested: RequestedToken[] = [];
  const failures: Failure[] = [];
  const stackFolder = EmbeddedProvider.of(stack)._stackFolder;
  const known = (given: Readonly<Record<string, unknown>>): KnownArguments =>
    knownArguments(resolvedIn(stack, given), { project, stackFolder });
  for (const record of records) {
    const { path } = record.construct.node;
    try {
      const { identity } = record;
      const job: IssueJob = {
        blockType: record.blockType,
        keptIn: record.ephemeral ? "memory" : "state",
        provider: identity === undefined ? {} : known(identity.arguments(asGiven)),
        block: known(record.arguments(asGiven)),
      };
      requested.push({ record, job });
    } catch (error) {
      failures.push(failureOf(path, error));
    }
  }
  return { requested, failures };
}

/** Paths as the program gives them: relative to the folder that the provider starts from here. */
const asGiven = (path: string) => path;

/** CDK tokens as strings. One that cannot be resolved now counts as unknown, like an expression. */
function resolvedIn(
  stack: TerraformStack,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  try {
    const resolver = new MarkingResolver();
    return Tokenization.resolve(given, { scope: stack, resolver, preparing: false }) as Readonly<
      Record<string, unknown>
    >;
  } catch (error) {
    if (IamTokensError.is(error)) throw error;
    throw new IamTokensError(
      "ERR_RESOLUTION_UNKNOWN",
      "An argument cannot be resolved before synthesis.",
    );
  }
}
