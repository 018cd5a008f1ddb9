import { TerraformVariable } from "cdktf";
import {
  EmbeddedProvider,
  type ProductArea,
  RotationHook,
  SecretRef,
  ServiceUserPermission,
  ServiceUserToken,
  StaticTokenRef,
  TokenOutputs,
  TokenResolution,
  TokenScope,
  WriteOnlyArguments,
} from "../../../lib";
import { quoted } from "../../../lib/constructs/props/quoted";
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

test.each<[string, (prepared: Prepared) => unknown]>([
  ["a string", ({ text }) => text],
  ["a part of a string", ({ text }) => `a-${text}`],
  ["a number", ({ number }) => number],
  ["a list", ({ list }) => list],
  ["an item of a list", ({ list }) => list[0]],
  ["a value of any type", ({ any }) => any],
])(
  "a value that only Terraform knows is described in words and not by the CDK's token: %s",
  (_what, of) => {
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

test.each<[string, (prepared: Prepared) => void]>([
  [
    "the prefix of outputs",
    ({ stack, token, text }) => {
      new TokenOutputs(stack, "out", {
        token: token({ resolution: TokenResolution.DATA }),
        prefix: text,
      });
    },
  ],
  ["the name of a variable for a command", ({ token, text }) => void token().environment(text)],
  [
    "the variable of a hook",
    ({ stack, token, text }) => {
      new RotationHook(stack, "hook", {
        token: token({ resolution: TokenResolution.ROTATING }),
        command: "true",
        variable: text,
      });
    },
  ],
  [
    "the name of a write-only argument",
    ({ stack, text }) => WriteOnlyArguments.of(stack).add(text),
  ],
  [
    "ids of identity services",
    ({ stack, text }) => EmbeddedProvider.keepFor(stack, { identities: [text] }),
  ],
  [
    "ids of identity services, all of them",
    ({ stack, list }) => EmbeddedProvider.keepFor(stack, { identities: list }),
  ],
  ["a way of resolving", ({ token, text }) => void token({ resolution: text })],
  [
    "a schedule",
    ({ token, text }) => void token({ resolution: TokenResolution.ROTATING, schedule: text }),
  ],
  ["a rotation", ({ token, text }) => void token({ rotateWith: text })],
  ["a scope", ({ token, text }) => void token({ scope: text })],
  ["a flag", ({ token, any }) => void token({ revokeOnClose: any })],
  ["an area", ({ token, text }) => void token().mayManage(text as ProductArea)],
  ["a permission", ({ stack, text }) => void identityIn(stack, "one", { permission: text })],
  [
    "the name of a secret's variable",
    ({ stack, text }) => {
      new StaticTokenRef(stack, "dns", { source: SecretRef.env(text) });
    },
  ],
])("no mistake repeats the CDK's token: %s", (_what, use) => {
  const prepared = prepare();
  use(prepared);
  const mistakes = mistakesOf(prepared.stack);
  expect(mistakes).toHaveLength(1);
  expect(mistakes[0]).not.toMatch(/TfToken/);
});

test.each<[string, (prepared: Prepared) => void]>([
  [
    "among destinations",
    ({ token, list }) => void token({ destinations: ["https://x.example.test", ...list] }),
  ],
  [
    "as the address that a token is for",
    ({ token, list }) => void token().headersFor(list[0] as string),
  ],
])(
  "refuses a token of a whole list as an address, and says how to pass the list: %s",
  (_what, use) => {
    const prepared = prepare();
    use(prepared);
    expect(mistakesOf(prepared.stack)).toEqual([
      expect.stringMatching(/list that only Terraform knows.*Fn\.element.*\[ERR_ADDRESS_INVALID\]/),
    ]);
  },
);

test("a list of projects that only Terraform knows may have any project in it", () => {
  const { stack, list } = prepare();
  const identity = identityIn(stack, "one", {
    permission: ServiceUserPermission.projects(...list),
  });
  new ServiceUserToken(stack, "web", { identity, scope: TokenScope.project("web") });
  expect(mistakesOf(stack)).toEqual([]);
});
