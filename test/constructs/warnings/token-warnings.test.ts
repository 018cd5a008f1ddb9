import { TerraformHclModule, TerraformStack } from "cdktf";
import { ProductArea, ServiceUserToken, TokenScope, TokenWarnings } from "../../../lib";
import { WARNINGS } from "../../../lib/constructs/warnings/warnings";
import {
  accountToken,
  annotationsOf,
  identityIn,
  mistakesOf,
  testApp,
  testStack,
} from "../support";

/** A stack with two warnings of one code, at two constructs. */
function twoModules(): {
  stack: TerraformStack;
  modules: [TerraformHclModule, TerraformHclModule];
} {
  const stack = new TerraformStack(testApp(), "stack");
  const identity = identityIn(stack);
  const token = accountToken(stack, { identity }, "web");
  const module = (id: string): TerraformHclModule =>
    new TerraformHclModule(stack, id, { source: "a/b/c", variables: { token: token.value } });
  return { stack, modules: [module("one"), module("two")] };
}

const warned = (stack: TerraformStack): (string | undefined)[] => {
  expect(mistakesOf(stack)).toEqual([]);
  return annotationsOf(stack, "warn").map((text) => text.split(":", 1)[0]);
};

describe("a warning that is acknowledged", () => {
  test("is not given for that construct, and stays for others", () => {
    const { stack, modules } = twoModules();
    TokenWarnings.of(modules[0]).acknowledge("WARN_EPHEMERAL_MODULE_INPUT");
    expect(warned(stack)).toEqual(["stack/two"]);
  });

  test.each(["stack", "app"])("at the %s is not given for anything in it", (where) => {
    const { stack } = twoModules();
    const scope = where === "app" ? stack.node.root : stack;
    TokenWarnings.of(scope).acknowledge("WARN_EPHEMERAL_MODULE_INPUT");
    expect(warned(stack)).toEqual([]);
  });

  test("leaves those of other codes, and those of other stacks", () => {
    const { stack } = twoModules();
    TokenWarnings.of(stack).acknowledge("WARN_EPHEMERAL_ARGUMENT", "WARN_TOKEN_UNUSED");
    TokenWarnings.of(new TerraformStack(stack.node.root, "other")).acknowledge(
      "WARN_EPHEMERAL_MODULE_INPUT",
    );
    expect(warned(stack)).toEqual(["stack/one", "stack/two"]);
  });

  test("may be acknowledged after its cause", () => {
    const stack = testStack();
    const identity = identityIn(stack);
    const scope = TokenScope.project("web");
    const token = new ServiceUserToken(stack, "token", { identity, scope });
    token.assertMayManage(ProductArea.TICKETS);
    TokenWarnings.of(token).acknowledge("WARN_MAY_MANAGE_UNKNOWN");
    expect(warned(stack)).toEqual([]);
  });

  test("covers infos: an unused token", () => {
    const stack = testStack();
    const identity = identityIn(stack);
    accountToken(stack, { identity });
    TokenWarnings.of(stack).acknowledge("WARN_TOKEN_UNUSED");
    expect(mistakesOf(stack)).toEqual([]);
    expect(annotationsOf(stack, "info")).toEqual([]);
  });
});

test("refuses an unknown code, and suggests the nearest", () => {
  const { stack } = twoModules();
  TokenWarnings.of(stack).acknowledge("WARN_EPHEMERAL_MODULE_INPUTS", 7 as never);
  expect(mistakesOf(stack)).toEqual([
    expect.stringMatching(
      /^\[stack\] TokenWarnings\.acknowledge was given "WARN_EPHEMERAL_MODULE_INPUTS"\. Allowed: .*WARN_REMOTE_RUNS.* Did you mean WARN_EPHEMERAL_MODULE_INPUT\? \[ERR_PROP_INVALID\]$/,
    ),
    expect.stringMatching(/^\[stack\] .*type number.*ERR_PROP_INVALID\]$/),
  ]);
});

test.each(Object.entries(WARNINGS))("%s has a meaning of whole sentences", (code, meaning) => {
  expect(code).toMatch(/^WARN_[A-Z_]+$/);
  expect(meaning).toMatch(/^[A-Z].*\.$/);
});
