import type { TerraformStack } from "cdktf";
import { App } from "cdktf";
import { IamTokensError } from "../../tokens";
import { oldestWithEphemerals, terraformThatIsThere } from "../props/terraform-binary";
import { TokenResolution } from "../token-resolution";
import type { Finding } from "./finding";
import type { TokenRecord } from "./registry";

/**
 * What ephemeral tokens need of the output format and of the Terraform that is there; told once a
 * stack, at the first of them.
 */
export function runtimeMistakes(stack: TerraformStack, tokens: readonly TokenRecord[]): Finding[] {
  const [first, ...rest] = tokens.filter((token) => token.ephemeral);
  if (first === undefined) return [];
  const whose =
    rest.length === 0
      ? "This token is ephemeral"
      : `This token and ${rest.length} more are ephemeral`;
  const findings: Finding[] = [];
  // An ephemeral variable is no block that HCL output would drop.
  const block = tokens.find((token) => token.resolution === TokenResolution.EPHEMERAL);
  if (block !== undefined && isHclOutput(stack)) {
    findings.push([
      block.construct,
      new IamTokensError("ERR_HCL_OUTPUT", `${whose}, and the output is HCL.`),
    ]);
  }
  const terraform = terraformThatIsThere();
  if (terraform !== undefined && !terraform.hasEphemerals) {
    findings.push([
      first.construct,
      new IamTokensError(
        "ERR_TERRAFORM_TOO_OLD",
        `${whose}, and ${terraform.product} ${terraform.version} has no ephemeral resources.`,
        {
          allowed: oldestWithEphemerals(),
          remedy:
            "Upgrade it, name another one with TERRAFORM_BINARY_NAME, or declare the token with resolution: TokenResolution.DATA " +
            "(resolution: data), or TokenResolution.SYNTH with allowInState: true; both stand in plan and state.",
        },
      ),
    ]);
  }
  return findings;
}

/** The command line says it by the environment, an app by its property. */
function isHclOutput(stack: TerraformStack): boolean {
  const asked = process.env.SYNTH_HCL_OUTPUT;
  if (asked !== undefined) return asked === "true" || asked === "1";
  const root = stack.node.root;
  return App.isApp(root) && root.hclOutput;
}
