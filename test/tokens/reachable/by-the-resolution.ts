import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type ResolveTokensOptions,
  resolveTokens,
  SecretRef,
  StaticTokenRef,
  TokenResolution,
} from "../../../lib";
import { checkValueFolder } from "../../../lib/delivery/values/deliver-values";
import { mistakesOf, temporaryFolder, testStack } from "../../constructs/support";
import type { Producers } from "./producer";

const QUIET: ResolveTokensOptions = { stream: { write: () => true }, environment: {} };

/** A stack with a token that is resolved before synthesis. */
function stackWith(source = SecretRef.env("NOT_SET")): ReturnType<typeof testStack> {
  const stack = testStack();
  new StaticTokenRef(stack, "t", { source, resolution: TokenResolution.SYNTH });
  return stack;
}

/** The codes of the pass before synthesis. */
export const BY_THE_RESOLUTION: Producers = {
  ERR_TOKENS_NOT_RESOLVED: () => mistakesOf(stackWith()).join("\n"),
  ERR_RESOLUTION_FAILED: () => resolveTokens(stackWith().node.root as never, QUIET),
  ERR_RESOLUTION_UNKNOWN: () =>
    resolveTokens(
      stackWith(SecretRef.fromTerraform("${var.token}")).node.root as never,
      QUIET,
    ).catch(String),
  ERR_FILE_NOT_OURS: () => {
    const folder = join(temporaryFolder(), "stack");
    mkdirSync(folder);
    writeFileSync(join(folder, "iam-tokens.auto.tfvars.json"), "{}");
    return checkValueFolder(folder);
  },
};
