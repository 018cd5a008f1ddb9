import { Token } from "cdktf";
import { Construct } from "constructs";
import { isTable } from "../../hcl/json";
import { defined, ERROR_CODES, type ErrorCode, IamTokensError } from "../../tokens";
import { isExpression, quoted } from "./checks";

// A program may have no types, or a value from the environment that is undefined. A table of zod
// would say the same, but takes longer to load than all of synthesis may.

/** A kind of values. */
export interface Kind {
  readonly fits: (value: unknown) => boolean;
  /** The values that fit, for messages. */
  readonly allowed: string;
  readonly isRequired?: true;
  /** By default ERR_PROP_INVALID. */
  readonly code?: ErrorCode;
  /** The properties that a value of the kind has. */
  readonly inner?: Kinds;
}

type Kinds = Readonly<Record<string, Kind>>;

/** The kind of each property; one that is missing does not compile. */
export type KindsOf<Props> = { readonly [Name in keyof Required<Props>]: Kind };

export const kind = (
  allowed: string,
  fits: (value: unknown) => boolean,
  code?: ErrorCode,
): Kind => ({ allowed, fits, ...defined({ code }) });

export const required = (of: Kind): Kind => ({ ...of, isRequired: true });

export const TEXT = kind("a string", (value) => typeof value === "string" || isExpression(value));
export const FLAG = kind("true or false", (value) => typeof value === "boolean");
export const LIST = kind(
  "a list of strings",
  (value) => isExpression(value) || (Array.isArray(value) && value.every(TEXT.fits)),
);
export const MAP = kind(
  "a map of strings",
  (value) => Token.isUnresolved(value) || (isTable(value) && Object.values(value).every(TEXT.fits)),
);
/** A reference to a secret: `sourceOf` judges it, and repeats no value. */
export const SECRET = kind("", () => true);
/** What a `dependsOn` has. */
export const DEPENDABLES = kind(
  "a list of constructs",
  (value) => Array.isArray(value) && value.every((each) => typeof Object(each).fqn === "string"),
);
export const TOKEN = kind(
  "a ServiceUserToken or a StaticTokenRef",
  (value) => Construct.isConstruct(value) && "headerName" in value,
);

/** An object with these properties. */
export const object = (inner: Kinds): Kind => ({
  ...kind(`an object with ${Object.keys(inner).join(", ")}`, (value) => isTable(value)),
  inner,
});

/**
 * Refuses properties that are missing, misspelt or of another kind.
 *
 * @param of the object that has them, for messages: `serviceUser`
 */
export function assertProps(given: unknown, kinds: Kinds, of?: string): void {
  const props = object(kinds);
  if (!props.fits(given)) throw wrong(of ?? "The object of properties", given, props);
  const values = given as Readonly<Record<string, unknown>>;
  const nameOf = (name: string) => (of === undefined ? name : `${of}.${name}`);
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && !Object.hasOwn(kinds, name))
      throw new IamTokensError("ERR_PROP_INVALID", `${nameOf(name)} is not a property.`, {
        allowed: Object.keys(kinds).join(", "),
      });
  for (const [name, its] of Object.entries(kinds)) {
    const value = values[name];
    if (value === undefined && !its.isRequired) continue;
    assertKind(nameOf(name), value, its);
  }
}

/** Refuses a value of another kind. */
export function assertKind(name: string, value: unknown, its: Kind): void {
  if (!its.fits(value)) throw wrong(name, value, its);
  if (its.inner !== undefined) assertProps(value, its.inner, name);
}

function wrong(name: string, value: unknown, { allowed, code, inner }: Kind): IamTokensError {
  // In the place of an object, a string may hold the secret that belongs into it.
  const shown = inner === undefined || !TEXT.fits(value) ? quoted(value) : "a string";
  const problem = value === undefined ? `${name} is missing (undefined).` : `${name} is ${shown}.`;
  const { remedy } = ERROR_CODES.ERR_PROP_INVALID;
  return new IamTokensError(code ?? "ERR_PROP_INVALID", problem, { allowed, remedy });
}
