import type { CtyObject } from "../../plugin/cty/value";
import { UNKNOWN } from "../../plugin/cty/value";
import type { AttributePath } from "../../plugin/provider";
import { isVariableName } from "../secrets/secret-reference";

/** The value of an argument: null when it is not given, UNKNOWN until Terraform knows it. */
export type Argument<T> = T | null | typeof UNKNOWN;

/** The argument of that name, whose schema says string. */
export function textArgument(config: CtyObject, name: string): Argument<string> {
  const value = config[name] ?? null;
  if (value === null || value === UNKNOWN || typeof value === "string") return value;
  throw new TypeError(`${name} is not a string`);
}

/** Whether an argument is given, and known. */
export function isKnown<T>(argument: Argument<T>): argument is T {
  return argument !== null && argument !== UNKNOWN;
}

/** The text of an argument that is given, and known. */
export function knownText(config: CtyObject, name: string): string | undefined {
  const value = textArgument(config, name);
  return isKnown(value) ? value : undefined;
}

/**
 * Nowhere: Terraform names the block by its address, and shows no line. Without any path it would
 * show the line on which the block begins, and a block may be written on that one line, with the
 * secret in it.
 */
const NOWHERE: AttributePath = [];

/**
 * The path of an argument, where Terraform may show it. Terraform prints the source line that a
 * path points to: none may lead to a line that holds a secret, be it a literal that should not be
 * there, a secret in the place of a variable's name, or the userinfo of an address. Then no line is
 * shown, and the text names the argument.
 */
export function pathTo(argument: string, value: unknown): AttributePath {
  switch (argument) {
    case "password":
    case "value":
      return NOWHERE;
    case "password_env":
    case "env":
      return typeof value === "string" && !isVariableName(value) ? NOWHERE : [argument];
    case "auth_url":
    case "base_url":
      return mayHaveUserinfo(value) ? NOWHERE : [argument];
    case "destinations":
      return Array.isArray(value) && value.some(mayHaveUserinfo) ? NOWHERE : [argument];
    default:
      return [argument];
  }
}

function mayHaveUserinfo(address: unknown): boolean {
  return typeof address === "string" && address.includes("@");
}
