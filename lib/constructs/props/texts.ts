import { assertName, isVariableName } from "../../tokens";
import { isExpression } from "./expression";
import type { Mistakes } from "./mistakes";
import { quoted } from "./quoted";

/** A name, or a Terraform expression (which the provider checks). */
export function checkName(what: string, value: unknown, mistakes: Mistakes): void {
  if (!isExpression(value)) mistakes.check(() => assertName(what, value));
}

/** A path of a file, a Terraform expression, or nothing. */
export function checkPath(what: string, value: unknown, mistakes: Mistakes): string | undefined {
  if (value === undefined || isPath(value)) return value;
  mistakes.add("ERR_PROP_INVALID", `${what} is ${quoted(value)}.`, { allowed: PATH_ALLOWED });
  return undefined;
}

/** Valid paths, for messages. */
export const PATH_ALLOWED =
  "a path, absolute or relative to the folder in which the program is synthesized (C:file is neither) and without control characters (a ~ is not expanded)";

/**
 * Whether a value can be the path of a file. `~` has a meaning only in a shell: here it would be a
 * folder of that name. `C:file` is relative to a folder that Windows remembers for each drive, and
 * that may differ between processes.
 */
export function isPath(value: unknown): value is string {
  return (
    typeof value === "string" &&
    value !== "" &&
    !/[\p{Cc}\p{Cs}]|^~(?:[\\/]|$)|^[a-z]:(?![\\/])/iu.test(value)
  );
}

/** A name of an environment variable; undefined for any other value. */
export function checkVariableName(
  where: string,
  value: unknown,
  mistakes: Mistakes,
): string | undefined {
  if (isVariableName(value)) return value;
  mistakes.add("ERR_NAME_INVALID", `${where} was given ${quoted(value)}.`, {
    allowed:
      "the name of an environment variable: letters, digits and _, not starting with a digit",
    remedy: "Give the name of the variable from which the command reads the token.",
  });
  return undefined;
}
