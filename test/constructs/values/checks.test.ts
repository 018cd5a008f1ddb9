import { Fn, Lazy, TerraformVariable, Token } from "cdktf";
import { isUnresolved, withPath } from "../../../lib/constructs/values/checks";
import { PATH, received } from "../../../lib/constructs/values/kinds";
import { testStack } from "../support";

const { stringValue, value, numberValue, listValue } = new TerraformVariable(testStack(), "v", {});

test.each<[what: string, value: unknown, expression: boolean, text: string]>([
  ...Object.entries({
    "the text of a variable": stringValue,
    "a text with a variable in it": `a-${stringValue}`,
    "the number of a variable": numberValue,
    "the list of a variable": listValue,
    "the element of a variable's list": listValue[0],
    "the value of a variable, of any type": value,
    "the result of a function": Fn.upper("x"),
    "a lazy text": Lazy.stringValue({ produce: () => "x" }),
    "an object as a number": Token.asNumber(Token.asAny({})),
  }).map(([what, given]): [string, unknown, boolean, string] => [
    what,
    given,
    true,
    Array.isArray(given) ? "a list that only Terraform knows" : "a Terraform expression",
  ]),
  // What the program's author wrote is repeated.
  ["an author's reference", "a ${var.x}", true, '"a ${var.x}"'],
  ["an author's directive", "%{ if true }x%{ endif }", true, '"%{ if true }x%{ endif }"'],
  ["a text with a control character", "x\u001b[31m", false, '"x\\u001b[31m"'],
  ["an empty text", "", false, '""'],
  ["a dollar sign without braces", "$x", false, '"$x"'],
  ["braces without a dollar sign", "{x}", false, '"{x}"'],
  ["null", null, false, "null"],
  ["a missing value", undefined, false, "undefined"],
  ["a number", 7, false, "a value of type number"],
  ["an object", {}, false, "a value of type object"],
  ["a list", [], false, "a value of type array"],
  ["what was not awaited", Promise.resolve(), false, "a value of type promise"],
])(
  "%s: whether it is an expression of Terraform, and its text in a message",
  (_what, given, expression, text) => {
    expect([isUnresolved(given), received(given)]).toEqual([expression, text]);
  },
);

test.each([
  [
    "from the root or the program's folder is one",
    true,
    ["a", "./~", "a~/b", "~a", "/x:y", "C:\\a", "c:/a", "ab:c", "1:c"],
  ],
  [
    "of a home, of a drive's folder or of no file is none",
    false,
    ["", "~", "~/a", "~\\a", "C:a", "c:", "a\n", "\ud800", 5],
  ],
])("the path of a file: what is %s", (_what, isIt, all) => {
  expect(all.filter(PATH.fits)).toEqual(isIt ? all : []);
});

test("a fault that is no refusal stays as it is", () => {
  const fault = () => withPath(testStack(), () => [].at(Symbol() as never));
  expect(fault).toThrow(TypeError);
  expect(fault).toThrow(/^Cannot convert a Symbol/);
});
