import { quote } from "../../tokens";
import { isCdkToken } from "./expression";

/**
 * A value that is no secret, for a message: in quotes, cut, without anything that a terminal or a
 * CI system obeys.
 */
export function shown(value: unknown): string {
  // A CDK token says nothing to anybody: it is a number that this synthesis has given.
  if (isCdkToken(value)) return "a Terraform expression";
  if (typeof value !== "string") return value === null ? "null" : `a value of type ${typeof value}`;
  return quote(value);
}
