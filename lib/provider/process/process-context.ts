import type { Part } from "../../tokens/ways";

/** The inputs of the process at its start, read once: they do not change during an operation. */
export interface ProcessContext {
  /** Environment variables. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Folder for relative files: Terraform's working folder, or the attached process's. */
  readonly workingFolder: string;
  /** Whether Terraform attached to a running process, whose environment is then not Terraform's. */
  readonly attached: boolean;
}

/**
 * A copy of an environment. On Windows, names of variables are not case-sensitive, and the copy
 * finds them in any spelling.
 */
export function takeVariables(
  env: ProcessContext["variables"],
  platform: NodeJS.Platform = process.platform,
): ProcessContext["variables"] {
  const copy = { ...env };
  if (platform !== "win32") return copy;
  const names = new Map(Object.keys(copy).map((name) => [name.toUpperCase(), name]));
  const own = (name: string | symbol): string | symbol =>
    typeof name === "string" ? (names.get(name.toUpperCase()) ?? name) : name;
  return new Proxy(copy, {
    get: (variables, name) => Reflect.get(variables, own(name)),
    has: (variables, name) => Reflect.has(variables, own(name)),
    getOwnPropertyDescriptor: (variables, name) =>
      Reflect.getOwnPropertyDescriptor(variables, own(name)),
  });
}

/** The value of a variable; an empty one counts as not set, as for OpenStack's clients. */
export function variableOf(processContext: ProcessContext, name: string): string | undefined {
  const { variables } = processContext;
  return (Object.hasOwn(variables, name) && variables[name]) || undefined;
}

/** The variables that give a part of a way of signing in. */
export function variablesGiving(
  { variables }: Part,
  processContext: ProcessContext,
): readonly string[] {
  return variables.filter((name) => variableOf(processContext, name) !== undefined);
}

/** Nothing: inRun adds the note. */
export function attachedNote(_: ProcessContext): string {
  return "";
}
