import {
  type AuthUrl,
  assertName,
  assertProjectName,
  assertSegment,
  isVariableName,
  parseAuthUrl,
  parseMinRemaining,
  parseRetryFor,
} from "../../tokens";
import { isExpression } from "./expression";
import type { Mistakes } from "./mistakes";
import { quoted } from "./quoted";

/** A name, or a Terraform expression (which the provider checks). */
export function checkName(what: string, value: unknown, mistakes: Mistakes): void {
  if (!isExpression(value)) mistakes.check(() => assertName(what, value));
}

/** A name that becomes a segment of an address, or a Terraform expression. */
export function checkSegment(what: string, value: unknown, mistakes: Mistakes): void {
  if (!isExpression(value)) mistakes.check(() => assertSegment(what, value));
}

/** A project's name, or a Terraform expression. */
export function checkProjectName(what: string, value: unknown, mistakes: Mistakes): void {
  if (!isExpression(value)) mistakes.check(() => assertProjectName(what, value));
}

/** An account number as a string, or a Terraform expression. */
export function checkAccount(value: unknown, mistakes: Mistakes): void {
  if (!isExpression(value))
    mistakes.check(() => assertName("accountId", value, "ERR_ACCOUNT_INVALID"));
}

/** An address of an identity service, or a Terraform expression. */
export function checkAuthUrl(value: unknown, mistakes: Mistakes): AuthUrl | undefined {
  return isExpression(value) ? undefined : mistakes.check(() => parseAuthUrl(value as string));
}

/**
 * The check of a duration, a Terraform expression, or nothing. It returns the value, undefined for
 * one that cannot be written.
 */
export function durationCheck(
  parse: (text: string, name: string) => unknown,
  allowed = 'a string such as "2h" or "90m"',
): (what: string, value: unknown, mistakes: Mistakes) => unknown {
  return (what, value, mistakes) => {
    if (value === undefined || isExpression(value)) return value;
    if (typeof value === "string") {
      mistakes.check(() => parse(value, what));
      return value;
    }
    mistakes.add("ERR_DURATION_INVALID", `${what} is ${quoted(value)}.`, { allowed });
    return undefined;
  };
}

/** How long all tries may take. */
export const checkRetryFor = durationCheck(parseRetryFor, 'a string from "0s" to "5m"');

/** Minimum remaining lifetime of a token. */
export const checkMinRemaining = durationCheck(parseMinRemaining);

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
