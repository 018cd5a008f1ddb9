import { TerraformHclModule, TerraformStack } from "cdktf";
import { WriteOnlyArguments } from "../../../lib";
import { AnyResource, annotationsOf, mistakesOf, testApp, testStack } from "../support";
import { tokenIn } from "./any-token";

describe("an ephemeral token in an argument of a resource", () => {
  test("gets a warning next to a write-only one: its version is stored", () => {
    const stack = testStack();
    const token = tokenIn(stack);
    new AnyResource(stack, "r", { secret_wo: token.value, secret_wo_version: token.fingerprint });

    expect(annotationsOf(stack, "warn")).toEqual([]);
    expect(mistakesOf(stack)).toEqual([]);
    expect(annotationsOf(stack, "warn")).toEqual([
      expect.stringContaining("The argument secret_wo_version gets the ephemeral token"),
    ]);
  });

  test("gets a warning that says how to declare an argument as write-only", () => {
    const stack = testStack();
    new AnyResource(stack, "r", { box: [{ secret: tokenIn(stack).value }] });

    expect(mistakesOf(stack)).toEqual([]);
    expect(annotationsOf(stack, "warn")).toEqual([
      expect.stringMatching(
        /^stack\/r: The argument box\.secret gets .*stack\/web.*WriteOnlyArguments.*add\("any_thing\.box"\).*declare the token with resolution: TokenResolution\.ROTATING .*\. \[WARN_EPHEMERAL_ARGUMENT\]$/,
      ),
    ]);
  });

  test("gets a warning that writes (key) for a key with the token", () => {
    const stack = testStack();
    new AnyResource(stack, "r", { tags: { [tokenIn(stack).value]: "x" } });

    expect(mistakesOf(stack)).toEqual([]);
    expect(annotationsOf(stack, "warn")).toEqual([
      expect.stringContaining("The argument tags.(key) gets the ephemeral token"),
    ]);
  });

  test.each(["secret", "any_thing.secret", "any_thing.box"])(
    "gets no warning if the user names %s",
    (name) => {
      const stack = testStack();
      WriteOnlyArguments.of(stack).add("other.secret", name);
      new AnyResource(stack, "r", { box: [{ secret: tokenIn(stack).value }] });

      expect(mistakesOf(stack)).toEqual([]);
      expect(annotationsOf(stack, "warn")).toEqual([]);
    },
  );

  test("gets one if the name belongs to another type, or to another part of the program", () => {
    const app = testApp();
    const stack = new TerraformStack(app, "stack");
    WriteOnlyArguments.of(stack).add("other_thing.secret");
    WriteOnlyArguments.of(new TerraformStack(app, "elsewhere")).add("secret");
    new AnyResource(stack, "r", { secret: tokenIn(stack).value });

    expect(mistakesOf(stack)).toEqual([]);
    expect(annotationsOf(stack, "warn")).toHaveLength(1);
  });

  test("a wrong name is reported", () => {
    const stack = testStack();
    WriteOnlyArguments.of(stack).add("a.b.c", 7 as never);

    expect(mistakesOf(stack)).toEqual([
      expect.stringMatching(/^\[stack\] .*"a\.b\.c".*ERR_PROP_INVALID/),
      expect.stringMatching(/^\[stack\] .*type number.*ERR_PROP_INVALID/),
    ]);
  });
});

test("an ephemeral token in a module's input gets a warning that names ephemeral = true", () => {
  const stack = testStack();
  new TerraformHclModule(stack, "m", {
    source: "example/m/any",
    variables: { api_token: tokenIn(stack).value },
  });

  expect(mistakesOf(stack)).toEqual([]);
  expect(annotationsOf(stack, "warn")).toEqual([
    expect.stringMatching(
      /^stack\/m: The module's input api_token .*ephemeral = true.* \[WARN_EPHEMERAL_MODULE_INPUT\]$/,
    ),
  ]);
});
