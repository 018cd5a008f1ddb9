import { TerraformVariable } from "cdktf";
import {
  type ProductArea,
  RotationHook,
  SecretRef,
  ServiceUserPermission,
  ServiceUserToken,
  StaticTokenRef,
  TokenOutputs,
  TokenResolution,
  TokenScope,
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

test.each<{ readonly what: string; readonly use: (prepared: Prepared) => void }>([
  {
    what: "the prefix of outputs",
    use: ({ stack, token, text }) => {
      new TokenOutputs(stack, "out", {
        token: token({ resolution: TokenResolution.DATA }),
        prefix: text,
      });
    },
  },
  {
    what: "the name of a variable for a command",
    use: ({ token, text }) => void token().environment(text),
  },
  {
    what: "the variable of a hook",
    use: ({ stack, token, text }) => {
      new RotationHook(stack, "hook", {
        token: token({ resolution: TokenResolution.ROTATING }),
        command: "true",
        variable: text,
      });
    },
  },
  { what: "a way of resolving", use: ({ token, text }) => void token({ resolution: text }) },
  {
    what: "a schedule",
    use: ({ token, text }) => void token({ resolution: TokenResolution.ROTATING, schedule: text }),
  },
  { what: "a rotation", use: ({ token, text }) => void token({ rotateWith: text }) },
  { what: "a scope", use: ({ token, text }) => void token({ scope: text }) },
  { what: "a flag", use: ({ token, any }) => void token({ revokeOnClose: any }) },
  { what: "an area", use: ({ token, text }) => void token().mayManage(text as ProductArea) },
  {
    what: "a permission",
    use: ({ stack, text }) => void identityIn(stack, "one", { permission: text }),
  },
  {
    what: "the name of a secret's variable",
    use: ({ stack, text }) => {
      new StaticTokenRef(stack, "dns", { source: SecretRef.env(text) });
    },
  },
])("no mistake repeats the CDK's token: $what", ({ use }) => {
  const prepared = prepare();
  use(prepared);
  const mistakes = mistakesOf(prepared.stack);
  expect(mistakes).toHaveLength(1);
  expect(mistakes[0]).not.toMatch(/TfToken/);
});

test.each<{ readonly what: string; readonly use: (prepared: Prepared) => void }>([
  {
    what: "among destinations",
    use: ({ token, list }) => void token({ destinations: ["https://x.example.test", ...list] }),
  },
  {
    what: "as the address that a token is for",
    use: ({ token, list }) => void token().headersFor(list[0] as string),
  },
])(
  "refuses a token of a whole list as an address, and says how to pass the list: $what",
  ({ use }) => {
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
