import { quote } from "../../tokens";
import { isCdkToken } from "./expression";

/**
 * A value that is not secret, for a message: in quotes, shortened, without characters that a
 * terminal or a CI system interprets.
 */
export function quoted(value: unknown): string {
  // A CDK token means nothing to a reader: it is a number of this synthesis.
  if (isCdkToken(value)) return "a Terraform expression";
  if (typeof value !== "string") return value === null ? "null" : `a value of type ${typeof value}`;
  return quote(value);
}
