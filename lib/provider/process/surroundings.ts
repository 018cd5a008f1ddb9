/**
 * What the provider's process was started with. Taken once at the start, so that nothing changes
 * under an operation.
 */
export interface Surroundings {
  /** Environment variables. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /**
   * What relative files are relative to: Terraform's working folder, or that of the attached
   * process.
   */
  readonly workingFolder: string;
  /**
   * Whether Terraform attached to a running process, whose environment is then not that of
   * Terraform.
   */
  readonly attached: boolean;
}

/** The value of a variable; one that is empty counts as not set, as OpenStack's clients take it. */
export function variableOf(surroundings: Surroundings, name: string): string | undefined {
  const value = Object.hasOwn(surroundings.variables, name)
    ? surroundings.variables[name]
    : undefined;
  return value === "" ? undefined : value;
}

/**
 * A sentence for messages about variables and relative files; empty when Terraform launched this
 * process itself.
 */
export function attachedNote(surroundings: Surroundings): string {
  return surroundings.attached
    ? " Variables and the working folder are those of the attached process at its start, not of this Terraform."
    : "";
}
