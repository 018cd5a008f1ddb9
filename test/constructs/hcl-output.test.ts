import { App, TerraformStack, Testing } from "cdktf";
import { TokenResolution } from "../../lib";
import { accountToken, mistakesOf, temporaryFolder, testStack } from "./support";

const before = process.env.SYNTH_HCL_OUTPUT;

afterEach(() => {
  if (before === undefined) delete process.env.SYNTH_HCL_OUTPUT;
  else process.env.SYNTH_HCL_OUTPUT = before;
});

test.each([
  ["true", true],
  ["1", true],
  ["false", false],
  ["", false],
  [undefined, true],
])("an ephemeral token in HCL output is refused: the command line says %j", (asked, refused) => {
  if (asked !== undefined) process.env.SYNTH_HCL_OUTPUT = asked;
  const app = new App({ outdir: temporaryFolder(), hclOutput: true });
  const stack = new TerraformStack(app, "stack");
  accountToken(stack, {}, "a");
  expect(mistakesOf(stack)).toEqual(
    refused
      ? [expect.stringMatching(/^\[stack\/a\] .*ephemeral, but the output is HCL.*HCL_OUTPUT\]$/)]
      : [],
  );
});

test("an ephemeral token is never dropped, even with validations skipped", () => {
  const stack = testStack();
  accountToken(stack);
  expect(() => Testing.synthHcl(stack)).toThrow(
    expect.objectContaining({ code: "ERR_HCL_OUTPUT" }),
  );
});

test("data tokens are written in HCL", () => {
  process.env.SYNTH_HCL_OUTPUT = "true";
  const stack = testStack();
  accountToken(stack, { resolution: TokenResolution.DATA }, "a");
  expect(mistakesOf(stack)).toEqual([]);
  const hcl = Testing.synthHcl(stack);
  expect(hcl).toMatch(/data "iam_token" "a" \{\s+provider = "?iam\.identity"?\s+scope = "account"/);
  expect(hcl).toMatch(/account_id = "123456"/);
});
