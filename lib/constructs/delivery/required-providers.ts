import type { TerraformStack } from "cdktf";
import type { RequiredProvider } from "./lock/cli-view";
import { fullSource } from "./lock/cli-view";

/** The providers that a stack's own configuration requires. Modules may add more; the CDKTF command line does not see those. */
export function requiredProvidersOf(stack: TerraformStack): RequiredProvider[] {
  const terraform = record(record(stack.toTerraform()).terraform);
  return Object.entries(record(terraform.required_providers)).map(([name, requirement]) => {
    const { source, version } = record(requirement);
    return {
      source: fullSource(typeof source === "string" ? source : name),
      version: typeof version === "string" ? version : undefined,
    };
  });
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
