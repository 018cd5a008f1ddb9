import { fullSource, type RequiredProvider } from "../../delivery/lock/command-line-note";
import { type TerraformJson, tablesAt } from "../../hcl/json";

/**
 * The providers that a configuration requires. Modules may require more, which the CDKTF command
 * line does not see.
 */
export function requiredProvidersIn(configuration: unknown): RequiredProvider[] {
  return tablesAt(configuration, "terraform", "required_providers").flatMap((table) =>
    Object.entries(table).flatMap(([name, part]) => {
      // Terraform accepts a version alone.
      const given = typeof part === "string" ? [{ version: part }] : tablesAt(part);
      return given.map(({ source, version }: TerraformJson) => ({
        source: fullSource(text(source) ?? name),
        version: text(version),
      }));
    }),
  );
}

const text = (value: unknown) => (typeof value === "string" ? value : undefined);
