import { TerraformElement } from "cdktf";
import type { Construct } from "constructs";
import { isTable } from "../../hcl/json";
import type { StackRegistry } from "../declarations/registry";
import { type Fragment, overridesOf } from "../framework/internals";

/**
 * Ephemeral resources came with Terraform 1.10 (and with OpenTofu 1.11, for which a constraint
 * cannot speak separately).
 */
const EPHEMERAL_CONSTRAINT = ">= 1.10.0";

/**
 * `terraform.required_version` of a stack that has an ephemeral value, joined with the user's own.
 *
 * cdktf merges a stack's overrides over its elements, so an override would hide ours: in that case
 * the two are joined in place. This happens whenever the stack is written, and thus includes an
 * override that an aspect sets last.
 */
export class RequiredVersion extends TerraformElement {
  constructor(
    scope: Construct,
    id: string,
    private readonly registry: StackRegistry,
  ) {
    super(scope, id);
  }

  override toTerraform(): Fragment {
    if (!this.registry.needsEphemerals) return {};
    const terraform = overridesOf(this.cdktfStack).terraform;
    if (isTable(terraform) && typeof terraform.required_version === "string") {
      terraform.required_version = joined(terraform.required_version);
      return {};
    }
    return { terraform: { required_version: EPHEMERAL_CONSTRAINT } };
  }
}

function joined(users: string): string {
  if (users.split(",").some((part) => part.trim() === EPHEMERAL_CONSTRAINT)) return users;
  return `${users}, ${EPHEMERAL_CONSTRAINT}`;
}
