import { Token, Tokenization } from "cdktf";
import { Construct } from "constructs";
import { defined, type ErrorCode, IamTokensError, isVariableName, quote } from "../../tokens";
import { propertyOf } from "../../tokens/provider-arguments";
import { ENCODED_TOKEN } from "../framework/internals";
import { isExpression } from "./checks";

// Who judges what, each rule in one place:
// - the shape of properties and arguments: their kinds, at once. A program may have no types, or a
//   value from the environment that is undefined. The kinds of the provider's arguments come from
//   its schema;
// - what relates two properties, or two constructs: the construct that has them, at once;
// - the sense of a value: the provider's own rules (survey/judge.ts), at synthesis. One that no
//   block has, such as a schedule or a permission, is judged where it is made;
// - where a secret or a token gets to: the rest of survey/, in the configuration as it is written.
//
// A table of zod would say the first, but takes longer to load than all of synthesis may.

/** A kind of values. */
export interface Kind {
  readonly fits: (value: unknown) => boolean;
  /** The values that fit, for messages. */
  readonly allowed: string;
  readonly isRequired?: true;
  /** By default ERR_PROP_INVALID. */
  readonly code?: ErrorCode;
  /** By default the code's. */
  readonly remedy?: string;
  /** A wrong value is not repeated: it may be the secret. */
  readonly isSecret?: true;
  /** The properties that a value of the kind has. */
  readonly inner?: Kinds;
  /** The kind of each member of a list or map. */
  readonly each?: Kind;
  /** The argument that the property is. */
  readonly argument?: string;
}

export type Kinds = Readonly<Record<string, Kind>>;

/** The kind of each property; one that is missing does not compile. */
export type KindsOf<Props> = { readonly [Name in keyof Required<Props>]: Kind };

export const kind = (
  allowed: string,
  fits: (value: unknown) => boolean,
  more: Partial<Kind> = {},
): Kind => ({ allowed, fits, ...more });

export const required = (of: Kind): Kind => ({ ...of, isRequired: true });

/** Whether only Terraform knows the value: it may be of any kind. */
const isOpen = (value: unknown) =>
  Tokenization.isResolvable(value) || (typeof value === "string" && isExpression(value));

/** An object whose own members are what it holds: not a Map, a Date or a Promise. */
const isPlain = (value: unknown): value is object =>
  Object.prototype.toString.call(value) === "[object Object]";

/** One whose members the program knows. */
export const isObject = (value: unknown): value is object =>
  isPlain(value) && !Token.isUnresolved(value);

export const TEXT = kind(
  "a string",
  (value) =>
    typeof value === "string" ||
    isOpen(value) ||
    // Terraform makes a string of it.
    (typeof value === "number" && isExpression(value)),
);
export const FLAG = kind("true or false", (value) => typeof value === "boolean");
export const LIST = kind("a list of strings", (value) => isOpen(value) || Array.isArray(value), {
  each: TEXT,
});
const MAP = kind("a map of strings", (value) => isOpen(value) || isPlain(value), {
  each: TEXT,
});

/** By Terraform's types, of which no argument of the provider is a number. */
const OF_TYPE: Kinds = { string: TEXT, bool: FLAG, list: LIST, set: LIST, map: MAP };

/** The kinds of properties that are arguments of a block, by the provider's schema. */
export function kindsIn<Name extends string>(
  schema: Readonly<Record<string, { readonly type: unknown }>>,
  ...names: Name[]
): Record<Name, Kind> {
  const kinds = Object.entries(schema).map(([argument, { type }]) => [
    propertyOf(argument),
    { ...OF_TYPE[String([type].flat()[0])], argument },
  ]);
  return Object.fromEntries(kinds.filter(([name]) => names.includes(name as Name)));
}

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
/** Anything: `sourceOf` refuses what is no SecretRef, without repeating it. */
export const SECRET = kind("", () => true);
/** The value of a `dependsOn`. */
export const DEPENDABLES = kind(
  "a list of constructs",
  (value) => Array.isArray(value) && !isExpression(value),
  {
    each: kind(
      "a construct that has a place in Terraform",
      (value) => typeof Object(value).fqn === "string",
    ),
  },
);
export const TOKEN = kind(
  "a ServiceUserToken or a StaticTokenRef",
  (value) => Construct.isConstruct(value) && "headerName" in value,
);

/** A member of an enum. */
export const member = (name: string, members: object): Kind =>
  kind(
    Object.keys(members)
      .map((each) => `${name}.${each}`)
      .join(", "),
    (value) => Object.values(members).includes(value),
  );

/** An object with these properties. */
export const object = (inner: Kinds): Kind => ({
  ...kind(`an object with ${Object.keys(inner).join(", ")}`, isObject),
  inner,
});

/**
 * Refuses properties that are missing, misspelt or of another kind.
 *
 * @param of the object that has them, for messages: `serviceUser`
 */
export function assertProps(given: unknown, kinds: Kinds, of?: string): void {
  if (!isObject(given)) throw refusal(of ?? "The object of properties", given, object(kinds));
  const nameOf = (name: string) => (of === undefined ? name : `${of}.${name}`);
  for (const [name, value] of Object.entries(given))
    if (value !== undefined && !Object.hasOwn(kinds, name))
      throw new IamTokensError("ERR_PROP_INVALID", `${nameOf(name)} is not a property.`, {
        allowed: Object.keys(kinds).join(", "),
      });
  for (const [name, kind] of Object.entries(kinds)) {
    const value: unknown = Reflect.get(given, name);
    if (value === undefined && !kind.isRequired) continue;
    assertKind(nameOf(name), value, kind);
  }
}

/** Refuses a value of another kind. */
export function assertKind(name: string, value: unknown, kind: Kind): void {
  if (!kind.fits(value)) throw refusal(name, value, kind);
  if (kind.inner !== undefined) assertProps(value, kind.inner, name);
  if (kind.each === undefined || isExpression(value)) return;
  // A copy: a list may have holes.
  for (const [member, inner] of Object.entries(Array.isArray(value) ? [...value] : Object(value)))
    assertKind(Array.isArray(value) ? `${name}[${member}]` : `${name}.${member}`, inner, kind.each);
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
  const { code = "ERR_PROP_INVALID", allowed, remedy, inner, isSecret } = kind;
  const shown = isSecret ? "wrong (the value is not repeated here)" : received(value);
  const found =
    value === undefined
      ? "missing (undefined)"
      : // In the place of an object, a string may hold the secret that belongs into it.
        inner !== undefined && TEXT.fits(value)
        ? "a string"
        : shown;
  return new IamTokensError(code, `${name} is ${found}.`, { allowed, ...defined({ remedy }) });
}

/** A value that is not secret, for a message: a string in quotes, of all else its type. */
export function received(value: unknown): string {
  // A CDK token means nothing to a reader: it is a number of this synthesis.
  if (typeof value === "string" && !value.includes(ENCODED_TOKEN)) return quote(value);
  if (isExpression(value))
    return Array.isArray(value) ? "a list that only Terraform knows" : "a Terraform expression";
  if (value === null || value === undefined) return String(value);
  // Of an object, what it is: a Promise was not awaited.
  return `a value of type ${Object.prototype.toString.call(value).slice(8, -1).toLowerCase()}`;
}
