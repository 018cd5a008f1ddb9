import type { CtyObject } from "../../plugin/cty/value";
import type { BlockSchema } from "../../plugin/provider";

/**
 * The arguments of a change that is carried out, as they were planned. Terraform hands the
 * configuration to apply as it is written: what
 * `ignore_changes` keeps as it was stands in the plan alone, and the new state has to be what was
 * planned.
 */
export function plannedArguments({ attributes }: BlockSchema, planned: CtyObject): CtyObject {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, { computed }]) => [
      name,
      computed ? null : (planned[name] ?? null),
    ]),
  );
}
