import { type CtyObject, type CtyType, UNKNOWN } from "../../plugin/cty/value";
import type { AttributePath, AttributeSchema } from "../../plugin/provider";
import { isVariableName } from "../../tokens";
import { ARGUMENTS } from "../../tokens/provider-arguments";

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

/**
 * Terraform names the block by its address and prints no line. Without any path, it would print the
 * block's first line, and the whole block may be on that line, with the secret.
 */
export const NOWHERE: AttributePath = [];

/** The kinds of the provider block's arguments, and of those of tokens that can have a secret. */
const KINDS = new Map<string, string>([
  ...ARGUMENTS.map(({ name, kind }) => [name, kind] as const),
  ["destinations", "address"],
  ["env", "env"],
  ["value", "value"],
]);

/**
 * The path of an argument. Terraform prints the source line of a path, so no path may lead to a
 * secret: a literal, one in place of a variable's name, or the userinfo of an address.
 */
export function pathTo(argument: string, value: unknown): AttributePath {
  switch (KINDS.get(argument)) {
    case "value":
    // It may contain one.
    case "command":
      return NOWHERE;
    case "env":
      return typeof value === "string" && !isVariableName(value) ? NOWHERE : [argument];
    case "address":
    case "base address":
      return [value].flat().some(mayHaveUserinfo) ? NOWHERE : [argument];
    default:
      return [argument];
  }
}

function mayHaveUserinfo(address: unknown): boolean {
  return typeof address === "string" && address.includes("@");
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
