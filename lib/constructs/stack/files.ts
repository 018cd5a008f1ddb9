import { join } from "node:path";
import { type ISynthesisSession, Manifest, TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";
import { deliverProvider, type WrittenFiles } from "../../delivery/lay-out";
import type { RequiredProvider } from "../../delivery/lock/command-line-note";
import { deliverValues, sweepValues, VALUE_FILE } from "../../delivery/value-file";
import { isInPackage } from "../blocks/provider-source";
import type { StackRegistry } from "../declarations/registry";
import { warnOnce } from "../warnings";
import type { StackValues } from "./stack-values";

/** The id of the embedded provider in its stack. */
export const PROVIDER_ID = "cdktf-iam-tokens";

/** The stacks of an app that have an embedded provider. */
export function stacksOfOurs(root: IConstruct): TerraformStack[] {
  return root.node
    .findAll()
    .filter(TerraformStack.isStack)
    .filter((stack) => stack.node.tryFindChild(PROVIDER_ID) !== undefined);
}

/** Removes the values of all other stacks in an output folder. */
export function sweepOtherValues(outdir: string, holders: readonly TerraformStack[]): void {
  const ids = holders.map((stack) => stack.node.id);
  sweepValues(join(outdir, Manifest.stacksFolder), ids);
}

/** By session: files to link to from the next stack. An entry also says that old values are gone. */
const writtenIn = new WeakMap<ISynthesisSession, WrittenFiles>();

/**
 * Writes the files next to a stack: the values of tokens that were resolved before synthesis, and
 * the provider with its lock entry.
 */
export function writeStackFiles(
  provider: IConstruct,
  registry: StackRegistry,
  values: StackValues | undefined,
  session: ISynthesisSession,
  required: readonly RequiredProvider[],
): void {
  const stack = TerraformStack.of(provider);
  const folder = join(session.outdir, session.manifest.forStack(stack).workingDirectory);
  if (!deliverValues(folder, values?.forFile(registry.synthTokens, folder)))
    warnOnce(
      provider,
      "WARN_VALUES_NOT_IGNORED",
      `The .gitignore in the stack's folder is your own, and does not list ${VALUE_FILE}, which holds tokens. Add it.`,
    );
  const written: WrittenFiles = writtenIn.get(session) ?? new Map();
  // Each of our stacks cleans its own folder.
  if (!writtenIn.has(session)) sweepOtherValues(session.outdir, stacksOfOurs(provider.node.root));
  writtenIn.set(session, written);
  if (!registry.needsProvider || !isInPackage(stack)) return;
  if (!deliverProvider(folder, required, written))
    warnOnce(
      provider,
      "WARN_LOCK_FILE_UNREADABLE",
      "The .terraform.lock.hcl in the stack's folder is not in Terraform's form, and was not changed. Repair or remove it.",
    );
}
