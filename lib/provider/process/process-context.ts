/** The inputs of the process at its start, read once: they do not change during an operation. */
export interface ProcessContext {
  /** Environment variables. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Folder for relative files: Terraform's working folder, or the attached process's. */
  readonly workingFolder: string;
  /** Whether Terraform attached to a running process, whose environment is then not Terraform's. */
  readonly attached: boolean;
  /** Whether the process is a program of this package. In a user's own, no setting is changed. */
  readonly isOurs?: true;
}

/** A copy of an environment. On Windows, names of variables are not case-sensitive. */
export function takeVariables(env: ProcessContext["variables"]): ProcessContext["variables"] {
  return Object.fromEntries(Object.entries(env).map(([name, text]) => [keyOf(name), text]));
}

const keyOf = (name: string): string => (process.platform === "win32" ? name.toUpperCase() : name);

/** The value of a variable; undefined if it is not set. */
export function textOf({ variables }: ProcessContext, name: string): string | undefined {
  const key = keyOf(name);
  return Object.hasOwn(variables, key) ? variables[key] : undefined;
}

/** The same; an empty variable counts as not set, as for OpenStack's clients. */
export function variableOf(processContext: ProcessContext, name: string): string | undefined {
  return textOf(processContext, name) || undefined;
}
