import { TerraformOutput } from "cdktf";
import { TokenOutputs, TokenResolution } from "../../../lib";
import { clashes } from "../../../lib/constructs/survey/clashes";
import { outputMistakes } from "../../../lib/constructs/survey/hcl-output";
import { identityIn, mistakesOf, testStack } from "../support";
import { tokenIn } from "./any-token";

test("a stack without our constructs, or with one output, has no clash", () => {
  const nothing = { tokens: [], identities: [], outputs: [] };
  expect(clashes(nothing, [])).toEqual([]);
  const output = new TerraformOutput(testStack(), "o", { value: 1 });
  const record = { construct: output, outputs: [output] };
  expect(clashes({ ...nothing, outputs: [record] }, [output])).toEqual([]);
  expect(outputMistakes(testStack(), [])).toEqual([]);
});

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

test("an id that makes no Terraform name is refused, with the ids that make one", () => {
  const stack = testStack();
  identityIn(stack, "é");
  expect(mistakesOf(stack)).toEqual([
    expect.stringMatching(
      /Allowed: ids that make a name of letters, .* Give the construct another id\. \[ERR_NAME_INVALID\]$/,
    ),
  ]);
});
