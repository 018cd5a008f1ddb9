import { App, type TerraformStack } from "cdktf";
import { IamTokensError } from "../../tokens";
import type { Finding, TokenRecord } from "../declarations/registry";
import { isHclRequested } from "../framework/internals";
import { TokenResolution } from "../values/token-resolution";

/**
 * HCL output drops ephemeral blocks; reported once for each stack, at its first one. Ephemeral
 * variables stay.
 */
export function outputMistakes(stack: TerraformStack, tokens: readonly TokenRecord[]): Finding[] {
  const first = tokens.find((token) => token.resolution === TokenResolution.EPHEMERAL);
  if (first === undefined || !isHclOutput(stack)) return [];
  const more = tokens.filter((token) => token.ephemeral).length - 1;
  const whose = more === 0 ? "This token is" : `This token and ${more} more are`;
  const mistake = new IamTokensError(
    "ERR_HCL_OUTPUT",
    `${whose} ephemeral, but the output is HCL.`,
  );
  return [[first.construct, mistake]];
}

/** The command line requests it in the environment, an app by its property. */
function isHclOutput(stack: TerraformStack): boolean {
  const root = stack.node.root;
  return isHclRequested() ?? (App.isApp(root) && root.hclOutput);
}
