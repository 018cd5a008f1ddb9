import { type TerraformElement, TerraformResource, type TerraformStack } from "cdktf";
import { fullSource, type RequiredProvider } from "../../delivery/lock/command-line-note";
import { Block, ProviderBlock } from "../blocks/block";
import { MarkingResolver } from "../declarations/token-reference";
import { elementsOf, type Fragment } from "../framework/internals";
import { configurationOf, type Part, scalarOf, type Table, tablesAt } from "./configuration";

/**
 * The providers that a stack's own configuration requires. Modules may require more, which the
 * CDKTF command line does not see.
 *
 * Rendering the whole stack once more would take a third of synthesis's time.
 */
export function requiredProvidersOf(stack: TerraformStack): RequiredProvider[] {
  const elements = elementsOf(stack).filter((each) => !requiresNothing(each));
  const cut = (fragment: Fragment): Fragment =>
    "terraform" in fragment ? { terraform: fragment.terraform } : {};
  const configuration = configurationOf(stack, new MarkingResolver(), elements, cut);
  return requirementsIn(configuration).map(({ name, source = name, version }) => ({
    source: fullSource(source),
    version,
  }));
}

/** Resources, which are nearly all elements; of ours all but the default provider. */
function requiresNothing(element: TerraformElement): boolean {
  if (element instanceof ProviderBlock) return element.alias !== undefined;
  return element instanceof Block || TerraformResource.isTerraformResource(element);
}

interface Requirement {
  /** Its name in the configuration. */
  readonly name: string;
  readonly source: string | undefined;
  readonly version: string | undefined;
}

/** The requirements of a configuration. */
export function requirementsIn(configuration: Table): readonly Requirement[] {
  return tablesAt(configuration, "terraform", "required_providers").flatMap((table) =>
    Object.entries(table).flatMap(([name, part]) => {
      // Terraform accepts a version alone.
      const version = text(part);
      if (version !== undefined) return { name, source: undefined, version };
      return tablesAt(part).map((each) => ({
        name,
        source: text(each.source),
        version: text(each.version),
      }));
    }),
  );
}

function text(part: Part | undefined): string | undefined {
  const value = scalarOf(part);
  return typeof value === "string" ? value : undefined;
}
