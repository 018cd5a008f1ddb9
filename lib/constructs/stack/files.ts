import { join } from "node:path";
import { type ISynthesisSession, Manifest, TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";
import { deliverProvider, type WrittenFiles } from "../../delivery/lay-out";
import type { RequiredProvider } from "../../delivery/lock/command-line-note";
import {
  deliverValues,
  readValueFile,
  sweepValues,
  VALUE_FILE,
  type VariableValues,
} from "../../delivery/values";
import { isInPackage } from "../blocks/provider-source";
import type { Pass } from "../declarations/pass";
import type { StackRegistry } from "../declarations/registry";
import { valuesOf } from "../declarations/variables";
import { isUnderCommandLine } from "../framework/internals";
import { printWarning, type Warning, warnOnce } from "../warnings";
import { destinationAfter, notesOf } from "./destination";

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

/** The provider's files, by the synthesis that wrote them; it swept old values before. */
const writtenIn = new WeakMap<ISynthesisSession, WrittenFiles>();

/**
 * Writes the files next to a stack: the values of tokens that were resolved before synthesis, and
 * the provider with its lock entry.
 */
export function writeStackFiles(
  provider: IConstruct,
  registry: StackRegistry,
  pass: Pass | undefined,
  session: ISynthesisSession,
  required: readonly RequiredProvider[],
): void {
  const stack = TerraformStack.of(provider);
  const folder = join(session.outdir, session.manifest.forStack(stack).workingDirectory);
  const values = pass && valuesAfter(pass, provider, registry, folder);
  if (!deliverValues(folder, values))
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

/** The values to write after a pass, if any; warns of those that get nowhere, or too far. */
function valuesAfter(
  pass: Pass,
  provider: IConstruct,
  { synthTokens }: StackRegistry,
  folder: string,
): VariableValues | undefined {
  const destination = destinationAfter(pass, TerraformStack.of(provider));
  for (const note of notesOf(pass, destination)) noteOf(pass, note, provider);
  if (synthTokens.length === 0 || !destination.isWritten) return undefined;
  const resolved = pass.outcome === "resolved" ? pass.values : undefined;
  const there = resolved ? undefined : readValueFile(folder);
  return Object.assign(
    {},
    ...synthTokens.map((token) => valuesOf(token, resolved?.get(token), there)),
  );
}

/**
 * Says a note. A program that is started by itself may take the values after synthesis, to start
 * Terraform with them: whether it did is known at its end.
 */
function noteOf(pass: Pass, note: Warning, provider: IConstruct): void {
  if (pass.outcome !== "resolved" || note.code !== "WARN_VALUES_NOWHERE" || isUnderCommandLine())
    warnOnce(provider, note.code, note.text);
  else
    process.once("exit", () => {
      if (!pass.isTaken()) printWarning(provider, note);
    });
}
