import { App, type TerraformStack } from "cdktf";
import { IamTokensError } from "../../tokens";
import type { Finding, TokenRecord } from "../blocks/registry";
import { TokenResolution } from "../values/token-resolution";

/**
 * HCL output drops ephemeral blocks; said once a stack, at the first of them. An ephemeral variable
 * is no such block.
 */
export function outputMistakes(stack: TerraformStack, tokens: readonly TokenRecord[]): Finding[] {
  const first = tokens.find((token) => token.resolution === TokenResolution.EPHEMERAL);
  if (first === undefined || !isHclOutput(stack)) return [];
  const more = tokens.filter((token) => token.ephemeral).length - 1;
  const whose = more === 0 ? "This token is" : `This token and ${more} more are`;
  const mistake = new IamTokensError(
    "ERR_HCL_OUTPUT",
    `${whose} ephemeral, and the output is HCL.`,
  );
  return [[first.construct, mistake]];
}

/** The command line says it by the environment, an app by its property. */
function isHclOutput(stack: TerraformStack): boolean {
  const asked = process.env.SYNTH_HCL_OUTPUT;
  if (asked !== undefined) return asked === "true" || asked === "1";
  const root = stack.node.root;
  return App.isApp(root) && root.hclOutput;
}
