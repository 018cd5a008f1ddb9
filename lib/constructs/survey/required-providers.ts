import { TerraformResource, type TerraformStack } from "cdktf";
import { fullSource, type RequiredProvider } from "../../delivery/lock/command-line-note";
import { elementsOf, placesIn } from "./places";

/**
 * The providers that a stack's own configuration requires. Modules may require more, which the
 * CDKTF command line does not see.
 *
 * Resources, which are nearly all elements, require none. Rendering the stack once more would take
 * a third of synthesis's time.
 */
export function requiredProvidersOf(stack: TerraformStack): RequiredProvider[] {
  const required = new Map<string, { source?: string; version?: string }>();
  const elements = elementsOf(stack).filter((each) => !TerraformResource.isTerraformResource(each));
  for (const { path, value } of placesIn(stack, elements, ({ terraform }) => ({ terraform }))) {
    const [, block, name, key] = path.split(".");
    if (block === "required_providers" && name !== undefined)
      required.set(name, { ...required.get(name), [String(key)]: String(value) });
  }
  return [...required].map(([name, { source = name, version }]) => ({
    source: fullSource(source),
    version,
  }));
}
