import type { AttributeSchema } from "../../plugin/provider";
import { argument } from "./attribute";

/** What every object of a static token takes: exactly one of env, file and value. */
export const STATIC_TOKEN_ARGUMENTS: Readonly<Record<string, AttributeSchema>> = {
  env: argument("string", "Name of the environment variable that holds the token."),
  file: argument(
    "string",
    "File that holds the token; one newline at its end is cut. Relative to Terraform's working folder.",
  ),
  value: argument("string", "The token itself, from another object's value; never a literal.", {
    sensitive: true,
  }),
  destinations: argument(
    ["set", "string"],
    "Addresses that the token is for: each must fall under base_url, else the token is not handed out. Without a base_url they are " +
      "checked to be addresses.",
  ),
  base_url: argument(
    "string",
    "Base address of the product APIs: all destinations must fall under it. By default any address may.",
  ),
};
