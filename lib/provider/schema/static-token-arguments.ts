import type { AttributeSchema } from "../../plugin/provider";
import { argument, notBuiltYet } from "./attribute";

/** What every object of a static token takes: exactly one of env, file and value. */
export const STATIC_TOKEN_ARGUMENTS: Readonly<Record<string, AttributeSchema>> = {
  env: argument("string", "Name of the environment variable that holds the token."),
  file: argument("string", "File that holds the token; one newline at its end is cut. Relative to Terraform's working folder."),
  value: argument("string", "The token itself, from another object's value; never a literal.", { sensitive: true }),
  destinations: notBuiltYet(["set", "string"], "Addresses that the token is for; each must fall under base_url."),
  base_url: notBuiltYet("string", "Base address of the product APIs: the token is handed out only for addresses under it."),
};
