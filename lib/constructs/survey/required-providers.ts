import type { TerraformElement, TerraformStack } from "cdktf";
import {
  DefaultTokenResolver,
  StringConcat,
  TerraformDataSource,
  TerraformOutput,
  TerraformResource,
  Tokenization,
} from "cdktf";
import { fullSource, type RequiredProvider } from "../../delivery/lock/command-line-note";
import { overridesOf } from "../framework/internals";
import { elementsOf } from "./uses";

type Table = Readonly<Record<string, unknown>>;

/**
 * The providers that a stack's own configuration requires. Modules may require more, which the
 * CDKTF command line does not see.
 *
 * They come from the elements that can require one. Rendering the stack once more would take a
 * third of synthesis's time.
 */
export function requiredProvidersOf(stack: TerraformStack): RequiredProvider[] {
  const required = new Map<string, Table>();
  const resolver = new DefaultTokenResolver(new StringConcat());
  const add = (fragment: unknown): void => {
    const given = table(table(fragment).terraform).required_providers;
    if (given === undefined) return;
    const resolved: unknown = Tokenization.resolve(given, {
      scope: stack,
      resolver,
      preparing: false,
    });
    for (const [name, requirement] of Object.entries(table(resolved))) {
      required.set(name, { ...required.get(name), ...table(requirement) });
    }
  };
  for (const element of elementsOf(stack))
    if (mayRequire(element)) add(element.toTerraform() as unknown);
  add(overridesOf(stack));
  return [...required].map(([name, { source, version }]) => ({
    source: fullSource(typeof source === "string" ? source : name),
    version: typeof version === "string" ? version : undefined,
  }));
}

/** Nearly all elements of a stack are of kinds that cannot. */
function mayRequire(element: TerraformElement): boolean {
  return !(
    TerraformResource.isTerraformResource(element) ||
    TerraformDataSource.isTerraformDataSource(element) ||
    TerraformOutput.isTerraformOutput(element)
  );
}

function table(value: unknown): Table {
  return typeof value === "object" && value !== null ? (value as Table) : {};
}
