import { Fn, Lazy, Token } from "cdktf";
import { isExpression } from "../../../lib/constructs/props/expression";

test.each([
  "${var.x}",
  "a ${var.x}",
  "%{ if true }x%{ endif }",
  Fn.upper("x"),
  Lazy.stringValue({ produce: () => "x" }),
  Token.asNumber(Token.asAny({})),
])("%j is an expression of Terraform", (value) => expect(isExpression(value)).toBe(true));

test.each(["x", "", "$x", "{x}", 5, undefined, null, {}, []])("%j is not", (value) =>
  expect(isExpression(value)).toBe(false),
);
