import { Token, Tokenization } from "cdktf";
import { innerLiteral } from "../../hcl/inner-literal";
import { isSingleExpression } from "../../hcl/single-expression";

/**
 * Whether Terraform, and not this program, knows the value: a CDK token, or a text with `${…}` or
 * `%{…}` in it.
 */
export function isExpression(value: unknown): boolean {
  if (typeof value === "string") return Token.isUnresolved(value) || /[$%]\{/.test(value);
  if (typeof value === "number") return Token.isUnresolved(value);
  return Tokenization.isResolvable(value);
}

/**
 * Whether it is, or has in it, what the CDK puts in the place of what only Terraform knows. More
 * than an expression: also the item that stands for a list whose length is not known, which is none
 * where a text is wanted.
 */
export function isCdkToken(value: unknown): boolean {
  return Token.isUnresolved(value) || (typeof value === "string" && value.includes("#{TfToken["));
}

/**
 * A text or an expression as it is, and nothing else: cdktf fails on what it cannot resolve before
 * any validation is heard.
 */
export function emittable(value: unknown): unknown {
  return typeof value === "string" || isExpression(value) ? value : undefined;
}

/**
 * What is wrong with a resolved text as the expression of a secret: no literal may stand in the
 * place of one, nor in it.
 */
export function wrongWithSecret(
  resolved: unknown,
): "no single expression" | { readonly literalIn: string } | undefined {
  if (typeof resolved !== "string" || !isSingleExpression(resolved)) return "no single expression";
  const literalIn = innerLiteral(resolved.slice(2, -1));
  return literalIn === undefined ? undefined : { literalIn };
}
