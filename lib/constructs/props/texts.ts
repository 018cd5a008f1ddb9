import {
  type AuthUrl,
  assertName,
  assertProjectName,
  assertSegment,
  formatDuration,
  IAM_TOKEN_LIFETIME_MS,
  PATH_LIMIT,
  parseAuthUrl,
  parseDuration,
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

/** A duration, a Terraform expression, or nothing. */
export function checkDuration(what: string, value: unknown, mistakes: Mistakes): void {
  if (value === undefined || isExpression(value)) return;
  if (typeof value === "string") mistakes.check(() => parseDuration(value, what));
  else
    mistakes.add("ERR_DURATION_INVALID", `${what} is ${quoted(value)}.`, {
      allowed: 'a string such as "2h" or "90m"',
    });
}

/** How long all tries may take, a Terraform expression, or nothing. */
export function checkRetryFor(what: string, value: unknown, mistakes: Mistakes): unknown {
  if (value === undefined || isExpression(value)) return value;
  if (typeof value === "string") {
    mistakes.check(() => parseRetryFor(value, what));
    return value;
  }
  mistakes.add("ERR_DURATION_INVALID", `${what} is ${quoted(value)}.`, {
    allowed: 'a string from "0s" to "5m"',
  });
  return undefined;
}

/**
 * Minimum remaining lifetime of a token: a duration below a token's lifetime, a Terraform
 * expression, or nothing.
 */
export function checkLifeLeft(what: string, value: unknown, mistakes: Mistakes): void {
  const before = mistakes.found.length;
  checkDuration(what, value, mistakes);
  if (typeof value !== "string" || isExpression(value) || mistakes.found.length > before) return;
  const asked = parseDuration(value);
  if (asked < IAM_TOKEN_LIFETIME_MS) return;
  mistakes.add(
    "ERR_LIFETIME_TOO_SHORT",
    `${what} is ${formatDuration(asked)}, but an IAM token lives only ${formatDuration(IAM_TOKEN_LIFETIME_MS)}.`,
    { remedy: "Give a shorter duration." },
  );
}

/** A path of a file, a Terraform expression, or nothing. */
export function checkPath(what: string, value: unknown, mistakes: Mistakes): string | undefined {
  if (value === undefined || isPath(value)) return value;
  mistakes.add("ERR_PROP_INVALID", `${what} is ${quoted(value)}.`, { allowed: PATH_ALLOWED });
  return undefined;
}

/** Valid paths, for messages. */
export const PATH_ALLOWED =
  "a path, absolute or relative to the folder in which the program is synthesized (C:file is neither), of at most 4,096 characters and without control characters (a ~ is not expanded)";

/**
 * Whether a value can be the path of a file. `~` has a meaning only in a shell: here it would be a
 * folder of that name. `C:file` is relative to a folder that Windows remembers for each drive, and
 * that may differ between processes.
 */
export function isPath(value: unknown): value is string {
  return (
    typeof value === "string" &&
    value !== "" &&
    value.length <= PATH_LIMIT &&
    !/[\p{Cc}\p{Cs}]|^~(?:[\\/]|$)|^[a-z]:(?![\\/])/iu.test(value)
  );
}

/** Whether a value is the name of an environment variable. */
export function isVariableName(value: unknown): value is string {
  return typeof value === "string" && /^[A-Za-z_][A-Za-z0-9_]{0,254}$/.test(value);
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
