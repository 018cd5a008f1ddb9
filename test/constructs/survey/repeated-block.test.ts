import {
  TerraformCount,
  TerraformIterator,
  type TerraformStack,
  TerraformVariable,
  Token,
} from "cdktf";
import {
  IdentityService,
  SecretRef,
  ServiceUserToken,
  TokenResolution,
  TokenScope,
} from "../../../lib";
import { AnyResource, identityIn, mistakesOf, testStack } from "../support";

const tokenIn = (
  stack: TerraformStack,
  more: { readonly project?: string; readonly destinations?: string[] } = {},
) =>
  new ServiceUserToken(stack, "web", {
    identity: identityIn(stack),
    scope: more.project === undefined ? TokenScope.account() : TokenScope.project(more.project),
    ...(more.destinations === undefined ? {} : { destinations: more.destinations }),
    resolution: TokenResolution.DATA,
  });

const each = TerraformIterator.fromList(["https://a.test", "https://b.test"]);

test.each<{
  readonly name: string;
  readonly refused: RegExp;
  readonly declare: (stack: TerraformStack) => unknown;
}>([
  {
    name: "headersFor",
    refused: /destinations refers to each\.value, /,
    declare: (stack) =>
      new AnyResource(
        stack,
        "r",
        { headers: tokenIn(stack).headersFor(each.value) },
        { forEach: each },
      ),
  },
  {
    name: "destinations",
    refused: /destinations refers to each\.key, /,
    declare: (stack) => tokenIn(stack, { destinations: [`${each.key}/dns`] }),
  },
  {
    name: "a project's name",
    refused: /project_name refers to count\.index, /,
    declare: (stack) =>
      tokenIn(stack, { project: `p-${Token.asString(TerraformCount.of(2).index)}` }),
  },
  {
    name: "a string of the user's",
    refused: /project_name refers to self\.id, /,
    declare: (stack) => tokenIn(stack, { project: `\${self.id}` }),
  },
  {
    name: "an identity service",
    refused: /account_id refers to each\.value, /,
    declare: (stack) =>
      new IdentityService(stack, "of-each", {
        authUrl: "https://a.test",
        accountId: each.value,
        serviceUser: { name: "u", password: SecretRef.env("P") },
      }),
  },
])("refuses in $name a value that exists only in a repeated block", ({ refused, declare }) => {
  const stack = testStack();
  declare(stack);

  expect(mistakesOf(stack)).toEqual([expect.stringMatching(refused)]);
  expect(mistakesOf(stack)[0]).toMatch(
    /Allowed: literals, variables, .* Loop in the program, .*\[ERR_PROP_INVALID\]$/,
  );
});

test("refuses all of them, each once", () => {
  const stack = testStack();
  tokenIn(stack, { project: `\${self.id}`, destinations: [each.key, `${each.key}/dns`] });

  expect(mistakesOf(stack)).toEqual([
    expect.stringContaining("project_name refers to self.id"),
    expect.stringContaining("destinations refers to each.key"),
  ]);
});

test("other things of these names are accepted", () => {
  const stack = testStack();
  const variable = new TerraformVariable(stack, "each", { type: "string" });
  tokenIn(stack, {
    destinations: [
      variable.stringValue,
      `\${var.self.url}`,
      "${[for each in var.all : each.value][0]}",
      "${[ for each in var.all : each.value ][0]}",
    ],
    project: "each.value",
  });

  expect(mistakesOf(stack)).toEqual([]);
});
