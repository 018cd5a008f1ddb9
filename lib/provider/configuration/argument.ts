import { type CtyObject, type CtyType, UNKNOWN } from "../../plugin/cty/value";
import type { AttributeSchema } from "../../plugin/provider";

/** The value of an argument: null if it is not set, UNKNOWN until Terraform knows it. */
export type Argument<T> = T | null | typeof UNKNOWN;

/** The argument of that name, which is a string in the schema. */
export function textArgument(config: CtyObject, name: string): Argument<string> {
  const value = config[name] ?? null;
  if (value === null || value === UNKNOWN || typeof value === "string") return value;
  throw new TypeError(`${name} is not a string`);
}

/** The argument of that name, which is a list of strings in the schema. */
export function listArgument(config: CtyObject, name: string): Argument<readonly unknown[]> {
  const value = config[name] ?? null;
  if (value === null || value === UNKNOWN) return value;
  if (!Array.isArray(value)) throw new TypeError(`${name} is not a list`);
  return value.includes(UNKNOWN) ? UNKNOWN : value;
}

/** Whether an argument is set and known. */
export function isKnown<T>(argument: Argument<T>): argument is T {
  return argument !== null && argument !== UNKNOWN;
}

/** The string of an argument that is set and known. */
export function knownText(config: CtyObject, name: string): string | undefined {
  const value = textArgument(config, name);
  return isKnown(value) ? value : undefined;
}

/** An argument that the user sets. */
export const argument = (
  type: CtyType,
  description: string,
  more: Omit<AttributeSchema, "type" | "description"> = { optional: true },
): AttributeSchema => ({ type, description, ...more });

/** An attribute that the provider computes. */
export const computed = (
  type: CtyType,
  description: string,
  more: Pick<AttributeSchema, "sensitive"> = {},
): AttributeSchema => argument(type, description, { computed: true, ...more });
