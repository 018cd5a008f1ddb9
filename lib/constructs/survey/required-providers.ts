import { fullSource, type RequiredProvider } from "../../delivery/lock/command-line-note";
import { tablesAt } from "../../hcl/json";

interface Requirement {
  /** Its name in the configuration. */
  readonly name: string;
  readonly source: string | undefined;
  readonly version: string | undefined;
}

/**
 * The providers that a configuration requires. Modules may require more, which the CDKTF command
 * line does not see.
 */
export function requiredProvidersIn(configuration: unknown): RequiredProvider[] {
  return requirementsIn(configuration).map(({ name, source = name, version }) => ({
    source: fullSource(source),
    version,
  }));
}

/** The requirements of a configuration. */
export function requirementsIn(configuration: unknown): readonly Requirement[] {
  return tablesAt(configuration, "terraform", "required_providers").flatMap((table) =>
    Object.entries(table).flatMap(([name, part]) => {
      // Terraform accepts a version alone.
      if (typeof part === "string") return { name, source: undefined, version: part };
      return tablesAt(part).map((each) => ({
        name,
        source: text(each.source),
        version: text(each.version),
      }));
    }),
  );
}

const text = (value: unknown) => (typeof value === "string" ? value : undefined);
