import { type TerraformStack, Tokenization } from "cdktf";
import { providerConfiguration } from "../constructs/blocks/block";
import { MarkingResolver } from "../constructs/blocks/marking-resolver";
import type { StackRegistry, TokenRecord } from "../constructs/blocks/registry";
import { EmbeddedProvider } from "../constructs/embedded-provider";
import { sharedFolder } from "../constructs/survey/shared-folder";
import { synthTokensOf } from "../constructs/survey/synth-tokens";
import { codeAtEnd, IamTokensError } from "../tokens";
import { type Failure, failureOf } from "./failures";
import type { IssueJob, KnownArguments } from "./issuing";
import { knownArguments } from "./known-arguments";

/** A token that a stack wants, and the job that gets it. */
export interface WantedToken {
  readonly record: TokenRecord;
  readonly job: IssueJob;
}

/** What a stack wants; tokens that it has already are left out. */
export interface StackWishes {
  readonly stack: TerraformStack;
  readonly registry: StackRegistry;
  /** All tokens that are resolved before synthesis. */
  readonly records: readonly TokenRecord[];
  readonly wanted: readonly WantedToken[];
  readonly failures: readonly Failure[];
}

/** Reads from a stack what its tokens need. No I/O beyond the real names of folders. */
export function wishesOf(stack: TerraformStack, project: string): StackWishes {
  const provider = EmbeddedProvider.of(stack);
  const registry = provider._registry;
  const records = synthTokensOf(stack, registry);
  const wanted: WantedToken[] = [];
  const failures: Failure[] = [];
  const shared = records.length === 0 ? undefined : sharedFolder(stack);
  if (shared !== undefined) failures.push(failureOf(stack.node.path, shared));
  for (const record of records) {
    if (registry.pass?.values.has(record) === true) continue;
    const { path } = record.construct.node;
    const known = (given: Readonly<Record<string, unknown>>): KnownArguments =>
      knownArguments(resolvedIn(stack, given), { project, stackFolder: provider._stackFolder });
    try {
      const alias = record.arguments().provider;
      const identity = registry.identities.find(
        (each) => providerConfiguration(each.alias()) === alias,
      );
      // What synthesis would refuse anyhow: nothing is asked for it, least of all with credentials
      // that were not meant.
      const mistakes = [...record.mistakes(), ...(identity?.mistakes() ?? [])];
      if (mistakes.length > 0) {
        failures.push({
          path,
          code: codeAtEnd(mistakes[0] ?? "") ?? "ERR_PROP_INVALID",
          text: mistakes.join(" "),
        });
        continue;
      }
      const { provider: _, ...block } = known(record.arguments());
      const job: IssueJob = {
        blockType: record.blockType,
        keptIn: record.ephemeral ? "memory" : "state",
        provider: identity === undefined ? {} : known(identity.arguments()),
        block,
      };
      wanted.push({ record, job });
    } catch (error) {
      failures.push(failureOf(path, error));
    }
  }
  return { stack, registry, records, wanted, failures };
}

/** CDK tokens as their texts. One that cannot be resolved now is as unknown as an expression. */
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
