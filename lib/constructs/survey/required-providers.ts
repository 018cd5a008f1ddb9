import {
  TerraformDataSource,
  TerraformOutput,
  TerraformResource,
  type TerraformStack,
} from "cdktf";
import { fullSource, type RequiredProvider } from "../../delivery/lock/command-line-note";
import { elementsOf, placesIn } from "./places";

/** Nearly all elements of a stack are of kinds that require no provider. */
const CANNOT_REQUIRE = [
  TerraformResource.isTerraformResource,
  TerraformDataSource.isTerraformDataSource,
  TerraformOutput.isTerraformOutput,
];

/**
 * The providers that a stack's own configuration requires. Modules may require more, which the
 * CDKTF command line does not see.
 *
 * They come from the elements that can require one. Rendering the stack once more would take a
 * third of synthesis's time.
 */
export function requiredProvidersOf(stack: TerraformStack): RequiredProvider[] {
  const required = new Map<string, { source?: string; version?: string }>();
  const elements = elementsOf(stack).filter((each) => !CANNOT_REQUIRE.some((is) => is(each)));
  for (const { path, value } of placesIn(stack, elements, ({ terraform }) => ({ terraform }))) {
    const [, name, key] =
      /^terraform\.required_providers\.([^.]+)(?:\.(source|version))?$/.exec(path) ?? [];
    if (name !== undefined)
      required.set(name, { ...required.get(name), ...(key && { [key]: String(value) }) });
  }
  return [...required].map(([name, { source = name, version }]) => ({
    source: fullSource(source),
    version,
  }));
}
