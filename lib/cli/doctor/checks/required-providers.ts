import { PROVIDER_SOURCE } from "../../../provider/names";
import { quote } from "../../../tokens";
import type { Check } from "../check";
import { cross, ok, skipped, unless } from "../finding";

/** Without the requirement Terraform would take `iam` for a provider of HashiCorp's. */
export const checkRequiredProviders: Check = ({ stacks, version }) => {
  if (stacks.length === 0) return [skipped("No stack uses the provider.")];
  const faults = stacks.flatMap(({ name, required, synthesized }) => {
    if (required === undefined) {
      return [
        cross(
          `The stack ${quote(name)} uses the provider, and does not require it: Terraform would look for hashicorp/iam.`,
          synthesized
            ? "Synthesize again; what adds the blocks by hand has to add required_providers too."
            : `Add to the terraform block: required_providers { iam = { source = "${PROVIDER_SOURCE}", version = "${version}" } }.`,
        ),
      ];
    }
    // Synthesis writes the one version; what people write may be any constraint, which is
    // Terraform's to judge.
    if (!/^\d+\.\d+\.\d+\S*$/.test(required) || required === version) return [];
    return [
      cross(
        `The stack ${quote(name)} requires version ${required}, and this is cdktf-iam-tokens ${version}.`,
        synthesized
          ? "Run the doctor of the project itself (npx cdktf-iam-tokens doctor), or synthesize again with this version."
          : "Require this version, or run the doctor of that one.",
      ),
    ];
  });
  return unless(faults, () =>
    ok(
      `Required as ${PROVIDER_SOURCE}${stacks.some(({ required }) => required === version) ? ` ${version}` : ""}.`,
    ),
  );
};
