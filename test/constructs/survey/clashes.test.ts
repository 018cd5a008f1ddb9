import { TerraformLocal, TerraformOutput, TerraformVariable } from "cdktf";
import { TokenOutputs, TokenResolution } from "../../../lib";
import { AnyResource, mistakesOf, testStack } from "../support";
import { type Declare, tokenIn } from "./any-token";

test("an output's name clashes with each output of this name", () => {
  const stack = testStack();
  new TokenOutputs(stack, "ci", { token: tokenIn(stack, TokenResolution.DATA) });
  for (const id of ["one", "two"])
    new TerraformOutput(stack, id, { value: 1 }).overrideLogicalId("ci_value");
  expect(mistakesOf(stack).filter((line) => line.includes("OUTPUT_NAME_TAKEN"))).toEqual([
    expect.stringMatching(
      /^\[stack\/ci\] The output ci_value is also declared by stack\/one, stack\/two\. .*\[ERR_OUTPUT_NAME_TAKEN\]$/,
    ),
  ]);
});

test("an output's name is not that of a resource or a local value", () => {
  const stack = testStack();
  new TokenOutputs(stack, "ci", { token: tokenIn(stack, TokenResolution.DATA) });
  new AnyResource(stack, "ci_value", {});
  new TerraformLocal(stack, "ci_headers", "x");
  expect(mistakesOf(stack)).toEqual([]);
});

describe("a token that is resolved before synthesis", () => {
  const clashing = (declare: Declare): string[] => {
    const stack = testStack();
    declare(stack, tokenIn(stack, TokenResolution.SYNTH));
    return mistakesOf(stack).filter((line) => line.includes("[ERR_NAME_TAKEN]"));
  };

  test("has variables whose names no other variable may have", () => {
    expect(
      clashing((stack, token) => {
        for (const id of ["web_token", "web_details"]) new TerraformVariable(stack, id, {});
        new TerraformOutput(stack, "o", { value: token.expiresAt });
      }),
    ).toEqual([
      expect.stringContaining("stack/web_token has the same name in Terraform: var.web_token."),
      expect.stringContaining("stack/web_details has the same name in Terraform: var.web_details."),
    ]);
  });

  test("has no variable for properties that nothing uses, and leaves the names to resources", () => {
    expect(clashing((stack) => new TerraformVariable(stack, "web_details", {}))).toEqual([]);
    expect(clashing((stack) => new AnyResource(stack, "web_token", {}))).toEqual([]);
  });
});
