import { Fn, Lazy, TerraformVariable, Token } from "cdktf";
import { ServiceUserPermission, ServiceUserToken, TokenScope } from "../../../lib";
import { isExpression, quoted } from "../../../lib/constructs/values/checks";
import { identityIn, mistakesOf, testStack } from "../support";

const prepare = () => {
  const stack = testStack();
  const variable = new TerraformVariable(stack, "given", {});
  const token = (more: object = {}, id = "web") =>
    new ServiceUserToken(stack, id, {
      identity: identityIn(stack, `of-${id}`),
      scope: TokenScope.account(),
      ...more,
    });
  return {
    stack,
    token,
    text: variable.stringValue,
    any: variable.value,
    number: variable.numberValue,
    list: variable.listValue,
  };
};
type Prepared = ReturnType<typeof prepare>;

test.each<{ readonly what: string; readonly of: (prepared: Prepared) => unknown }>([
  { what: "a string", of: ({ text }) => text },
  { what: "a part of a string", of: ({ text }) => `a-${text}` },
  { what: "a number", of: ({ number }) => number },
  { what: "a list", of: ({ list }) => list },
  { what: "an item of a list", of: ({ list }) => list[0] },
  { what: "a value of any type", of: ({ any }) => any },
])(
  "a value that only Terraform knows is described in words and not by the CDK's token: $what",
  ({ of }) => {
    expect(quoted(of(prepare()))).toBe("a Terraform expression");
  },
);

test.each<[unknown, string]>([
  ["x\u001b[31m", '"x\\u001b[31m"'],
  ["${var.x}", '"${var.x}"'],
  [null, "null"],
  [7, "a value of type number"],
])("a value that the program knows is quoted, or named by its type: %j", (value, text) => {
  expect(quoted(value)).toBe(text);
});

test("a list of projects that only Terraform knows may have any project in it", () => {
  const { stack, list } = prepare();
  const identity = identityIn(stack, "one", {
    permission: ServiceUserPermission.projects(...list),
  });
  new ServiceUserToken(stack, "web", { identity, scope: TokenScope.project("web") });
  expect(mistakesOf(stack)).toEqual([]);
});

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
