import type { CtyObject } from "../plugin/cty/value";
import { UNKNOWN } from "../plugin/cty/value";

/** The value of an argument: null when it is not given, UNKNOWN until Terraform knows it. */
export type Argument<T> = T | null | typeof UNKNOWN;

/** The argument of that name, whose schema says string. */
export function textArgument(config: CtyObject, name: string): Argument<string> {
  const value = config[name] ?? null;
  if (value === null || value === UNKNOWN || typeof value === "string") return value;
  throw new TypeError(`${name} is not a string`);
}

/** The argument of that name, whose schema says bool. */
export function flagArgument(config: CtyObject, name: string): Argument<boolean> {
  const value = config[name] ?? null;
  if (value === null || value === UNKNOWN || typeof value === "boolean") return value;
  throw new TypeError(`${name} is not a bool`);
}

/** Whether an argument is given, and known. */
export function isKnown<T>(argument: Argument<T>): argument is T {
  return argument !== null && argument !== UNKNOWN;
}
