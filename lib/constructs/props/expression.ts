import { Token, Tokenization } from "cdktf";
import { ENCODED_LIST_ITEM } from "../framework/internals";

/**
 * Whether Terraform, and not this program, knows the value: a CDK token, or a string that contains
 * `${…}` or `%{…}`.
 */
export function isExpression(value: unknown): boolean {
  if (typeof value === "string") return Token.isUnresolved(value) || /[$%]\{/.test(value);
  if (typeof value === "number") return Token.isUnresolved(value);
  return Tokenization.isResolvable(value);
}

/**
 * Whether it is, or contains, a CDK placeholder for a value that only Terraform knows. This
 * includes more than expressions: the item that stands for a list of unknown length is not an
 * expression if a string is expected.
 */
export function isCdkToken(value: unknown): boolean {
  return (
    Token.isUnresolved(value) || (typeof value === "string" && value.includes(ENCODED_LIST_ITEM))
  );
}

/**
 * A string or an expression unchanged, and nothing else: if cdktf cannot resolve a value, it fails
 * before any validation reports.
 */
export function emittable(value: unknown): unknown {
  return typeof value === "string" || isExpression(value) ? value : undefined;
}
