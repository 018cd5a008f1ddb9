import type { IConstruct } from "constructs";
import { tablesAt } from "../../hcl/json";
import { isInPackage } from "../blocks/provider-source";
import type { StackRegistry } from "../declarations/registry";
import type { Fragment } from "../framework/internals";
import { warnOnce } from "../warnings";

export function warnOfRemoteRuns(
  provider: IConstruct,
  { tokens }: StackRegistry,
  written: Fragment,
): void {
  const launched = tokens.some(({ resolution }) => resolution !== "synth");
  // A provider from a registry brings its Node.js; that the secret is there, the first plan shows.
  if (!launched || !isInPackage(provider) || !runsRemotely(written)) return;
  warnOnce(
    provider,
    "WARN_REMOTE_RUNS",
    "This stack runs remotely, so its tokens are issued there: the remote machine needs Node.js and the secret. " +
      "The provider from a registry (docs/without-npm.md) needs no Node.js. Two ways need neither: " +
      "TokenResolution.synth() with resolveTokens(app), which issues the tokens here; " +
      "or the execution mode Local (or an agent with Node.js), which runs Terraform where both exist.",
  );
}

/**
 * Whether a stack's plan and apply run elsewhere (HCP Terraform and the like), as far as the
 * program says. The stack's whole folder is uploaded there.
 */
const runsRemotely = (written: Fragment): boolean =>
  [["cloud"], ["backend", "remote"]].some(
    (path) => tablesAt(written, "terraform", ...path).length > 0,
  );
