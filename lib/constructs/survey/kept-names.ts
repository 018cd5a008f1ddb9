import { type TerraformElement, TerraformProvider } from "cdktf";
import { isTable, type TerraformJson } from "../../hcl/json";
import { PROVIDER_TYPE } from "../../provider/names";
import { headerNameOf, IamTokensError, quote } from "../../tokens";
import type { Finding } from "../declarations/registry";
import { changeBlock, propertiesOf, writtenName } from "../framework/internals";
import type { Finder } from "./places";

// cdktf writes the names in a provider's block in snake case, those of a map as well: `X-Auth-Token`
// becomes `x_auth_token`, and `IAM_TOKEN` becomes `iam_token`. What the program gave tells a map
// from a block: the names that a token's `headers` and `environment` give are those of a map.

/** Lets maps with the names of `headers` and `environment` keep their names, in any provider. */
export function keepNames(elements: readonly TerraformElement[], referencesIn: Finder): void {
  for (const provider of providersIn(elements))
    changeBlock(provider, (block, properties) => keepIn(block, properties, referencesIn));
}

/** The providers that others have made: ours have no maps. */
function providersIn(elements: readonly TerraformElement[]): TerraformProvider[] {
  return elements
    .filter(TerraformProvider.isTerraformProvider)
    .filter(({ terraformResourceType }) => terraformResourceType !== PROVIDER_TYPE);
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
  const isKept = isMapOfOurs(given, referencesIn);
  for (const [name, value] of Object.entries(given)) {
    const changed = writtenName(name);
    keepIn(written[changed], value, referencesIn);
    if (!isKept || changed === name || !Object.hasOwn(written, changed)) continue;
    // One that is there already is that of an override.
    if (!Object.hasOwn(written, name)) written[name] = written[changed];
    delete written[changed];
  }
}

/** Whether a table has a token under a name of `headers` or `environment`. */
function isMapOfOurs(given: TerraformJson, referencesIn: Finder): boolean {
  return Object.entries(given).some(([name, value]) =>
    tokensIn(value, referencesIn).some(({ kind }) => {
      const header = headerNameOf(kind);
      return name === header || given[`${name}_HEADER`] === header;
    }),
  );
}

function tokensIn(value: unknown, referencesIn: Finder) {
  if (typeof value !== "string") return [];
  return referencesIn(value).flatMap(({ token, attribute }) =>
    attribute === undefined || attribute === "token" ? [token] : [],
  );
}

/** Errors of tokens under names of the program that cdktf changes. */
export function* changedNames(
  elements: readonly TerraformElement[],
  referencesIn: Finder,
): Iterable<Finding> {
  for (const provider of providersIn(elements)) {
    const { path } = provider.node;
    for (const [name, value, steps] of changedIn(propertiesOf(provider), [], referencesIn))
      for (const { construct } of tokensIn(value, referencesIn)) {
        const { message } = new IamTokensError(
          "ERR_NAME_CHANGED",
          `The token is used in ${path} (${steps.join(".")}) under the name ${quote(name)}, which cdktf would write as ${quote(writtenName(name))}, as it does in each provider block.`,
          {
            remedy: `Leave out ${steps[0]}, and give it by an override, which keeps names: provider.addOverride(${quote(steps.join("."))}, { ${quote(name)}: token.value }). In TypeScript, Fn.merge([{ ${quote(name)}: token.value }]) keeps them as well.`,
          },
        );
        yield [construct, message];
      }
  }
}

type Entry = readonly [name: string, value: unknown, steps: readonly string[]];

function* changedIn(
  given: unknown,
  steps: readonly string[],
  referencesIn: Finder,
): Iterable<Entry> {
  if (Array.isArray(given))
    for (const [at, each] of given.entries())
      yield* changedIn(each, [...steps, String(at)], referencesIn);
  if (!isTable(given)) return;
  const isKept = isMapOfOurs(given, referencesIn);
  for (const [name, value] of Object.entries(given)) {
    // These two cdktf leaves alone.
    if (name === "tags" || name === "environment") continue;
    // A property has a name of letters and digits. In the block itself, there are only these.
    if (steps.length > 0 && !isKept && !/^[a-z]\w*$/.test(name)) yield [name, value, steps];
    yield* changedIn(value, [...steps, writtenName(name)], referencesIn);
  }
}
