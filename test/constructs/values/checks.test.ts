import { Fn, Lazy, TerraformVariable, Token } from "cdktf";
import { isExpression, quoted, withPath } from "../../../lib/constructs/values/checks";
import { PATH } from "../../../lib/constructs/values/props";
import { testStack } from "../support";

const { stringValue, value, numberValue, listValue } = new TerraformVariable(testStack(), "v", {});

test.each<[value: unknown, expression: boolean, text: string]>([
  ...[
    stringValue,
    `a-${stringValue}`,
    numberValue,
    listValue,
    listValue[0],
    value,
    Fn.upper("x"),
    Lazy.stringValue({ produce: () => "x" }),
    Token.asNumber(Token.asAny({})),
  ].map((given): [unknown, boolean, string] => [given, true, "a Terraform expression"]),
  // What the program's author wrote is repeated.
  ["a ${var.x}", true, '"a ${var.x}"'],
  ["%{ if true }x%{ endif }", true, '"%{ if true }x%{ endif }"'],
  ["x\u001b[31m", false, '"x\\u001b[31m"'],
  ["", false, '""'],
  ["$x", false, '"$x"'],
  ["{x}", false, '"{x}"'],
  [null, false, "null"],
  [undefined, false, "undefined"],
  [7, false, "a value of type number"],
  [{}, false, "a value of type object"],
  [[], false, "a value of type object"],
])(
  "%j: whether it is an expression of Terraform (%j), and its text in a message",
  (given, expression, text) => {
    expect([isExpression(given), quoted(given)]).toEqual([expression, text]);
  },
);

test.each([
  [true, ["a", "./~", "a~/b", "~a", "/x:y", "C:\\a", "c:/a", "ab:c", "1:c"]],
  [false, ["", "~", "~/a", "~\\a", "C:a", "c:", "a\n", "\ud800", 5]],
])("the path of a file, %j: each of %j", (isIt, all) => {
  expect(all.filter(PATH.fits)).toEqual(isIt ? all : []);
});

test("a fault that is no refusal stays as it is", () => {
  const fault = () => withPath(testStack(), () => [].at(Symbol() as never));
  expect(fault).toThrow(TypeError);
  expect(fault).toThrow(/^Cannot convert a Symbol/);
});
