import type { CtyObject } from "../cty";
import type { BlockSchema, Diagnostic } from "../provider";

/**
 * Refuses write-only arguments for a Terraform that does not know them: it would put their values
 * into plan and state, which the configuration's author counts on not to happen.
 */
export function refuseWriteOnly(
  config: CtyObject,
  { attributes }: BlockSchema,
): readonly Diagnostic[] {
  return Object.entries(attributes)
    .filter(([name, { writeOnly }]) => writeOnly === true && (config[name] ?? null) !== null)
    .map(([name]) => ({
      severity: "error",
      summary: "Write-only arguments are not supported here",
      detail: `This Terraform or OpenTofu would store the value of ${name}. Use Terraform 1.11 or OpenTofu 1.11, or later ones.`,
      path: [name],
    }));
}
