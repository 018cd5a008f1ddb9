import { Construct } from "constructs";
import { defined, type ErrorCode, IamTokensError, isVariableName, quote } from "../../tokens";
import { ENCODED_TOKEN } from "../framework/internals";
import { isUnresolved } from "./checks";

// Who judges what, each rule in one place:
// - the types of properties: TypeScript, and jsii for the other languages. Where a value of another
//   kind would silently mean something else, its kind is checked at once;
// - what relates two properties, or two constructs: the construct that has them, at once;
// - the sense of a value: the provider's own rules (survey/judge.ts), at synthesis. One that no
//   block has, such as a schedule, is judged where it is made;
// - where a secret or a token gets to: the rest of survey/, in the configuration as it is written.

/** A kind of values. */
export interface Kind {
  readonly fits: (value: unknown) => boolean;
  /** The values that fit, for messages. */
  readonly allowed: string;
  /** By default ERR_PROP_INVALID. */
  readonly code?: ErrorCode;
  /** By default the code's. */
  readonly remedy?: string;
  /** A wrong value is not repeated: it may be the secret. */
  readonly isSecret?: true;
}

export const kind = (
  allowed: string,
  fits: (value: unknown) => boolean,
  more: Partial<Kind> = {},
): Kind => ({ allowed, fits, ...more });

export const TEXT = kind("a string", (value) => typeof value === "string" || isUnresolved(value));

/**
 * The path of a file. `~` has a meaning only in a shell: here it would be a folder of that name.
 * `C:file` is relative to a folder that Windows remembers for each drive, and that may differ
 * between processes.
 */
export const PATH = kind(
  "a path, absolute or relative to the folder in which the program is synthesized (C:file is neither) and without control characters (a ~ is not expanded)",
  (value) =>
    typeof value === "string" &&
    value !== "" &&
    !/[\p{Cc}\p{Cs}]|^~(?:[\\/]|$)|^[a-z]:(?![\\/])/iu.test(value),
);
/** The name of an environment variable for a token. */
export const VARIABLE = kind(
  "the name of an environment variable: letters, digits and _, not starting with a digit",
  isVariableName,
  {
    code: "ERR_NAME_INVALID",
    remedy: "Give the name of the variable from which the command reads the token.",
  },
);
export const TOKEN = kind(
  "a ServiceUserToken or a StaticTokenRef",
  (value) => Construct.isConstruct(value) && "headerName" in value,
);

/** Refuses a value of another kind. */
export function assertKind(name: string, value: unknown, kind: Kind): void {
  if (!kind.fits(value)) throw refusal(name, value, kind);
}

/** Refuses options next to one that decides about them. */
export function assertAlone(
  of: string,
  given: object,
  one: string,
  reasons: Readonly<Record<string, string>>,
): void {
  if (Reflect.get(given, one) === undefined) return;
  for (const [other, reason] of Object.entries(reasons))
    if (![undefined, false].includes(Reflect.get(given, other)))
      throw new IamTokensError("ERR_PROP_INVALID", `${of}: both ${one} and ${other} are given.`, {
        remedy: `Remove ${other}: ${reason}.`,
      });
}

function refusal(name: string, value: unknown, kind: Kind): IamTokensError {
  const { code = "ERR_PROP_INVALID", allowed, remedy, isSecret } = kind;
  const shown = isSecret ? "wrong (the value is not repeated here)" : received(value);
  const found = value === undefined ? "missing (undefined)" : shown;
  return new IamTokensError(code, `${name} is ${found}.`, { allowed, ...defined({ remedy }) });
}

/** A value that is not secret, for a message: a string in quotes, of all else its type. */
export function received(value: unknown): string {
  // A CDK token means nothing to a reader: it is a number of this synthesis.
  if (typeof value === "string" && !value.includes(ENCODED_TOKEN)) return quote(value);
  if (isUnresolved(value))
    return Array.isArray(value) ? "a list that only Terraform knows" : "a Terraform expression";
  if (value === null || value === undefined) return String(value);
  // Of an object, what it is: a Promise was not awaited.
  return `a value of type ${Object.prototype.toString.call(value).slice(8, -1).toLowerCase()}`;
}
