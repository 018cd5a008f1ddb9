import { type TerraformElement, TerraformProvider } from "cdktf";
import { isTable } from "../../hcl/json";
import { PROVIDER_TYPE } from "../../provider/names";
import { changeBlock, writtenName } from "../framework/internals";
import type { Finder } from "./places";

// cdktf writes the names in a provider's block in snake case, those of a map as well: `X-Auth-Token`
// becomes `x_auth_token`, and `IAM_TOKEN` becomes `iam_token`. What the program gave tells a map
// from a block: a name that no property has is that of a map.

const OF_PROPERTY = /^[a-z][A-Za-z0-9]*$/;

/** Lets maps with a token keep their names, in the blocks of all providers but ours. */
export function keepNames(elements: readonly TerraformElement[], referencesIn: Finder): void {
  for (const provider of elements.filter(TerraformProvider.isTerraformProvider))
    if (provider.terraformResourceType !== PROVIDER_TYPE)
      changeBlock(provider, (block, properties) => keepIn(block, properties, referencesIn));
}

/**
 * @param written what cdktf has made of it
 * @param given what the program gave
 */
function keepIn(written: unknown, given: unknown, referencesIn: Finder): void {
  if (Array.isArray(written) && Array.isArray(given))
    written.forEach((each, at) => {
      keepIn(each, given[at], referencesIn);
    });
  if (!isTable(written) || !isTable(given)) return;
  const isMap =
    Object.keys(given).some((name) => !OF_PROPERTY.test(name)) &&
    Object.values(given).some((each) => typeof each === "string" && referencesIn(each).length > 0);
  for (const [name, value] of Object.entries(given)) {
    const changed = writtenName(name);
    keepIn(written[changed], value, referencesIn);
    if (!isMap || changed === name || !Object.hasOwn(written, changed)) continue;
    // One that is there already is that of an override.
    if (!Object.hasOwn(written, name)) written[name] = written[changed];
    delete written[changed];
  }
}
