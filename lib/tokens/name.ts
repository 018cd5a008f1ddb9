import { isSegment } from "./address";
import { defined } from "./defined";
import { IamTokensError } from "./error";
import type { ErrorCode } from "./error-codes";
import { quote } from "./printable";
import { type Text, words } from "./words";

/** Maximum length of a name in characters: as much as Keystone stores. */
const NAME_MAX_LENGTH = 255;

/**
 * Checks the name of a service user or of a project, or an account number: a string of 1 to 255
 * characters, without white space at its ends and without control characters. Everything else is
 * allowed, including Unicode.
 *
 * @param what its name in messages, such as `user_name`
 * @param code ERR_NAME_INVALID, or ERR_ACCOUNT_INVALID for an account number
 * @param remedy the next step; by default the code's
 * @throws the code
 * @example assertName("project_name", "web")
 */
export function assertName(
  what: Text,
  value: unknown,
  code: Extract<ErrorCode, "ERR_NAME_INVALID" | "ERR_ACCOUNT_INVALID"> = "ERR_NAME_INVALID",
  remedy?: string,
): asserts value is string {
  const problem = problemOf(value);
  if (problem === undefined) return;
  throw new IamTokensError(code, words`${what} ${problem}.`, {
    allowed: `a string of 1 to ${NAME_MAX_LENGTH} characters without leading or trailing white space and without control characters`,
    ...defined({ remedy }),
  });
}

function problemOf(value: unknown): string | undefined {
  if (value === undefined) return "is missing";
  if (typeof value !== "string")
    return `is ${value === null ? "null" : `a value of type ${typeof value}`}, not a string`;
  if (value === "") return "is empty";
  if (/\p{Cc}/u.test(value)) return `has a control character: ${quote(value)}`;
  if (/\p{Cs}/u.test(value)) return "is not well-formed Unicode";
  if (value.trim() !== value) return `starts or ends with white space: ${quote(value)}`;
  const length = [...value].length;
  return length > NAME_MAX_LENGTH ? `has ${length} characters` : undefined;
}

/**
 * Whether two names are the same to a database: without regard to case, accents and blanks at their
 * ends. Keystone finds the domain `Default` when asked for `default`, and answers with its own
 * spelling.
 */
export function isSameName(one: string, other: string): boolean {
  return folded(one) === folded(other);
}

function folded(name: string): string {
  const plain = name.normalize("NFD").replace(/[\u0300-\u036f]/g, "");
  return plain.toUpperCase().toLowerCase().trim();
}

/** Whether a value can be the name of an environment variable. */
export function isVariableName(value: unknown): value is string {
  return typeof value === "string" && /^[A-Za-z_][A-Za-z0-9_]{0,254}$/.test(value);
}

/**
 * Whether a "name" of a variable is the value of one: most likely the secret itself, by
 * `process.env.PASSWORD` in place of `"PASSWORD"`. It is then in no message.
 */
export function isVariablesValue(
  name: string,
  variables: Readonly<Record<string, string | undefined>>,
): boolean {
  return !Object.hasOwn(variables, name) && Object.values(variables).includes(name);
}

/**
 * Like {@link assertName}, for a name that becomes a segment of an address: it cannot lead to
 * another address, however a proxy or a server reads it.
 */
export function assertSegment(what: Text, value: unknown): asserts value is string {
  assertName(what, value);
  if (isSegment(value)) return;
  const problem = words`${what} is ${quote(value)}, which cannot be a segment of an address.`;
  throw new IamTokensError("ERR_NAME_INVALID", problem, {
    allowed: 'letters from a to z, digits and _.~:@!$&\'()*+,=-, other than "." and ".."',
    remedy: "Give the id as the service's operator names it, without an address around it.",
  });
}

/** Like {@link assertName}, for a project: the control panel lists it in another place. */
export function assertProjectName(what: Text, value: unknown): asserts value is string {
  assertName(what, value, "ERR_NAME_INVALID", PROJECT_REMEDY);
}

const PROJECT_REMEDY =
  "Give the name of the project, as the control panel's list of projects has it.";
