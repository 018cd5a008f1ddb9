import { innerReferences } from "../../lib/hcl/inner-references";

test.each([
  ["var.password", ["var.password"]],
  ["var.secrets.database", ["var.secrets.database"]],
  ['local.secrets["database"].password', ["local.secrets.database.password"]],
  ["local.secrets[var.stage].password", ["local.secrets"]],
  ["local.secrets[0]", ["local.secrets"]],
  ["coalesce(var . a, var .b, var. c)", ["var.a", "var.b", "var.c"]],
  ["coalesce(var.a, var.b ? var.c : var.d)", ["var.a", "var.c", "var.d"]],
  ['"x${var.a}"', ["var.a"]],
  ['var.stage == "a" ? var.x : var.y', ["var.x", "var.y"]],
  ['(var.stage == "a" ? var.x : var.y)', ["var.x", "var.y"]],
  ["{ production = var.a, staging = var.b }[var.stage]", ["var.a", "var.b"]],
  ["[for s in var.a : s.value if s.name == var.b][0]", ["var.a", "s.value"]],
  ["[for s in [var.a] : s ? var.b : var.c][0]", ["var.a", "var.b", "var.c"]],
  ["jsondecode(var.a).password", ["var.a"]],
  ["(var.a).var.b", ["var.a"]],
  ["file(var.path)", []],
  ["[", []],
])("the references that can become the value of %s", (expression, expected) => {
  expect(innerReferences(expression).map((steps) => steps.join("."))).toEqual(expected);
});
