import type { AttributePath } from "../plugin/provider";
import { isVariableName } from "./secrets/secret-reference";

/**
 * The path of an argument, where Terraform may show it. Terraform prints the source line that a path points to: none may
 * lead to a line that holds a secret, be it a literal that should not be there, a secret in the place of a variable's name,
 * or the userinfo of an address. Terraform then shows the head of the block, and the text names the argument.
 */
export function pathTo(argument: string, value: unknown): AttributePath | undefined {
  switch (argument) {
    case "password":
    case "value":
      return undefined;
    case "password_env":
    case "env":
      return typeof value === "string" && !isVariableName(value) ? undefined : [argument];
    case "auth_url":
      return typeof value === "string" && value.includes("@") ? undefined : [argument];
    default:
      return [argument];
  }
}
