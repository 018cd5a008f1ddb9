import { Fn, Lazy, Token } from "cdktf";
import { isExpression, isSingleExpression } from "../../../lib/constructs/props/expression";

test.each([
  "${var.x}",
  "a ${var.x}",
  "%{ if true }x%{ endif }",
  Fn.upper("x"),
  Lazy.stringValue({ produce: () => "x" }),
  Token.asNumber(Token.asAny({})),
])("%j is for Terraform to know", (value) => expect(isExpression(value)).toBe(true));

test.each(["x", "", "$x", "{x}", 5, undefined, null, {}, []])("%j is not", (value) =>
  expect(isExpression(value)).toBe(false),
);

test.each([
  "${var.x}",
  "${ephemeral.a.b.c}",
  '${lookup(var.m, "}")}',
  '${join("", ["${var.a}", "b"])}',
  "${{a = 1}[var.k]}",
  '${"a${var.b}"}',
  "${var.x ? 1 : 2}",
  "${sensitive(var.x)}",
  "${random_password.x[0].result}",
  '${local.passwords["deployer"]}',
  '${trimspace(file("password"))}',
  '${provider::vault::read("x")}',
  '${jsondecode("{\\"a\\": \\"${var.x}\\"}").a}',
])("%s is one expression", (text) => expect(isSingleExpression(text)).toBe(true));

test.each([
  "",
  "text",
  "a${var.x}",
  "${var.x}a",
  "${var.x}${var.y}",
  "${var.x}secret${var.y}",
  "$${var.x}",
  "${var.x",
  '${"secret"}',
  '${ "secret" }',
  "${42}",
  "${null}",
  '${"unclosed}',
  '${("secret")}',
  '${sensitive("secret")}',
  '${sensitive("secret.with.dots")}',
  '${join("", ["secret"])}',
  '${base64decode("c2VjcmV0")}',
  '${"${"secret"}"}',
  '${"$${var.x}"}',
  '${true ? "secret" : ""}',
  "${tostring(1234.5)}",
  "${<<E\nvar.secret\nE\n}",
  "%{ if true }x%{ endif }",
])("%s is not", (text) => expect(isSingleExpression(text)).toBe(false));
