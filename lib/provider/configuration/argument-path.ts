import type { AttributePath } from "../../plugin/provider";
import { isVariableName } from "../../tokens";
import { ARGUMENTS } from "../../tokens/provider-arguments";

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
