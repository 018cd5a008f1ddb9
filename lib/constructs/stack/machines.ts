import { TerraformBackend, type TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";
import { member } from "../../hcl/json";
import { isInPackage } from "../blocks/provider-source";
import type { StackRegistry } from "../declarations/registry";
import { backendType, elementsOf, overridesOf } from "../framework/internals";
import { warnOnce } from "../warnings";

export function warnOfRemoteRuns(
  provider: IConstruct,
  stack: TerraformStack,
  { tokens }: StackRegistry,
): void {
  const launched = tokens.some(({ resolution }) => resolution !== "synth");
  // A provider from a registry brings its Node.js; that the secret is there, the first plan shows.
  if (!launched || !isInPackage(stack) || !runsRemotely(stack)) return;
  warnOnce(
    provider,
    "WARN_REMOTE_RUNS",
    "This stack runs remotely, so its tokens are issued there: the remote machine needs Node.js and the secret. " +
      "The provider from a registry (docs/without-npm.md) needs no Node.js. Two ways need neither: " +
      "TokenResolution.synth() with resolveTokens(app), which issues the tokens here; " +
      "or the execution mode Local (or an agent with Node.js), which runs Terraform where both exist.",
  );
}

/** Backends whose runs are elsewhere: the stack's whole folder is uploaded. */
const REMOTE: readonly unknown[] = ["cloud", "remote"];

/**
 * Whether a stack's plan and apply run elsewhere (HCP Terraform and the like), as far as the
 * program says.
 */
export function runsRemotely(stack: TerraformStack): boolean {
  const terraform = member(overridesOf(stack), "terraform");
  return (
    elementsOf(stack).some(
      (element) => TerraformBackend.isBackend(element) && REMOTE.includes(backendType(element)),
    ) || [member(terraform, "cloud"), member(member(terraform, "backend"), "remote")].some(Boolean)
  );
}
