/**
 * The type of an attribute, in the JSON form of schemas: the part of Terraform's type system (cty)
 * that the schemas here need.
 */
export type CtyType = CtyPrimitive | readonly ["list" | "set" | "map", CtyPrimitive];
export type CtyPrimitive = "string" | "number" | "bool";

/** A value that Terraform does not know yet (it is known after apply). */
export const UNKNOWN: unique symbol = Symbol("unknown");

/**
 * A value of Terraform's type system. Null is null, a list or set is an array, a map is a plain
 * object. Numbers are whole.
 */
export type CtyValue =
  | typeof UNKNOWN
  | null
  | string
  | number
  | boolean
  | readonly CtyValue[]
  | CtyObject;

/** A block's attributes, or a map. Created with a null prototype. */
export interface CtyObject {
  readonly [key: string]: CtyValue;
}

/**
 * A value does not have its type's shape. The message names shapes and the path, never the value:
 * it may be a secret.
 */
export class CtyError extends Error {
  constructor(
    readonly problem: string,
    /** Attribute names, map keys and indexes from the outside in. */
    readonly path: readonly (string | number)[] = [],
  ) {
    super(path.length === 0 ? problem : `${path.join(".")}: ${problem}`);
    this.name = "CtyError";
  }
}
