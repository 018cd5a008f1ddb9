/** What the process was started with, taken once: nothing changes under an operation. */
export interface Surroundings {
  /** Environment variables. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** What relative files start from: Terraform's working folder, or the attached process's. */
  readonly workingFolder: string;
  /** Whether Terraform attached to a running process: the environment is then not Terraform's. */
  readonly attached: boolean;
}

/** The value of a variable; one that is empty counts as not set, as OpenStack's clients take it. */
export function variableOf(surroundings: Surroundings, name: string): string | undefined {
  const { variables } = surroundings;
  return (Object.hasOwn(variables, name) && variables[name]) || undefined;
}

/** A sentence for messages about variables and relative files, where Terraform attached. */
export function attachedNote(surroundings: Surroundings): string {
  return surroundings.attached
    ? " Variables and the working folder are those of the attached process at its start, not of this Terraform."
    : "";
}
