import { join } from "node:path";
import { type ISynthesisSession, TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";
import { deliverProvider } from "../../delivery/deliver";
import { deliverValues, readValueFile, VALUE_FILE } from "../../delivery/values";
import type { StackRegistry } from "../declarations/registry";
import { requiredProvidersOf } from "../survey/required-providers";
import { synthTokensOf, valuesToWrite } from "../survey/synth-tokens";
import { warnOnce } from "../warnings/annotate";
import { isFirst, stacksOfOurs, sweepOtherValues } from "./our-stacks";

/**
 * What a synthesis writes next to a stack: the values of tokens that were resolved before it, and
 * the provider with its lock entry.
 */
export function writeStackFiles(
  provider: IConstruct,
  registry: StackRegistry,
  session: ISynthesisSession,
): void {
  const stack = TerraformStack.of(provider);
  const stackFolder = join(session.outdir, session.manifest.forStack(stack).workingDirectory);
  writeValues(provider, registry, stackFolder);
  // Each of our stacks cleans its own folder.
  if (isFirst(session)) sweepOtherValues(session.outdir, stacksOfOurs(provider.node.root));
  if (registry.needsProvider) writeProvider(provider, stackFolder, session);
}

function writeValues(provider: IConstruct, registry: StackRegistry, stackFolder: string): void {
  const tokens = synthTokensOf(TerraformStack.of(provider), registry);
  const { pass } = registry;
  for (const { code, text } of tokens.length === 0 ? [] : (pass?.notes() ?? []))
    warnOnce(provider, code, text);
  const values = valuesToWrite(tokens, pass, () => readValueFile(stackFolder));
  if (!deliverValues(stackFolder, values)) {
    warnOnce(
      provider,
      "WARN_VALUES_NOT_IGNORED",
      `The .gitignore in the stack's folder is your own, and does not list ${VALUE_FILE}, which holds tokens. Add it.`,
    );
  }
}

function writeProvider(
  provider: IConstruct,
  stackFolder: string,
  session: ISynthesisSession,
): void {
  const required = requiredProvidersOf(TerraformStack.of(provider));
  if (deliverProvider(stackFolder, required, session)) return;
  warnOnce(
    provider,
    "WARN_LOCK_FILE_UNREADABLE",
    "The .terraform.lock.hcl in the stack's folder is not in Terraform's form, and was not changed. Repair or remove it.",
  );
}
