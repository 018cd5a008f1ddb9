import { Fn, Lazy, TerraformVariable, Token } from "cdktf";
import { ServiceUserPermission, TokenScope } from "../../../lib";
import { isExpression, quoted } from "../../../lib/constructs/values/checks";
import { accountToken, identityIn, mistakesOf, testStack } from "../support";

const { stringValue, value, numberValue, listValue } = new TerraformVariable(testStack(), "v", {});
const WORDS = "a Terraform expression";

test.each<[value: unknown, expression: boolean, text: string]>([
  [stringValue, true, WORDS],
  [`a-${stringValue}`, true, WORDS],
  [numberValue, true, WORDS],
  [listValue, true, WORDS],
  [listValue[0], true, WORDS],
  [value, true, WORDS],
  [Fn.upper("x"), true, WORDS],
  [Lazy.stringValue({ produce: () => "x" }), true, WORDS],
  [Token.asNumber(Token.asAny({})), true, WORDS],
  // What the program's author wrote is repeated.
  ["a ${var.x}", true, '"a ${var.x}"'],
  ["%{ if true }x%{ endif }", true, '"%{ if true }x%{ endif }"'],
  ["x\u001b[31m", false, '"x\\u001b[31m"'],
  ["", false, '""'],
  ["$x", false, '"$x"'],
  ["{x}", false, '"{x}"'],
  [null, false, "null"],
  [undefined, false, "a value of type undefined"],
  [7, false, "a value of type number"],
  [{}, false, "a value of type object"],
  [[], false, "a value of type object"],
])(
  "%j: whether it is an expression of Terraform (%j), and its text in a message",
  (given, expression, text) => {
    expect([isExpression(given), quoted(given)]).toEqual([expression, text]);
  },
);

test("a list of projects that only Terraform knows may have any project in it", () => {
  const stack = testStack();
  const permission = ServiceUserPermission.projects(...listValue);
  const identity = identityIn(stack, "one", { permission });
  accountToken(stack, { identity, scope: TokenScope.project("web") });
  expect(mistakesOf(stack)).toEqual([]);
});
