import { App, TerraformStack, Testing } from "cdktf";
import { ServiceUserToken, TokenResolution, TokenScope } from "../../../lib";
import { accountToken, identityIn, mistakesOf, temporaryFolder, testStack } from "../support";

const before = process.env.SYNTH_HCL_OUTPUT;

afterEach(() => {
  if (before === undefined) delete process.env.SYNTH_HCL_OUTPUT;
  else process.env.SYNTH_HCL_OUTPUT = before;
});

function stackWith(resolution: TokenResolution, ids: readonly string[] = ["a", "b", "c"]) {
  const stack = testStack();
  const identity = identityIn(stack);
  for (const id of ids) accountToken(stack, { identity, resolution }, id);
  return stack;
}

describe("HCL output", () => {
  test("with an ephemeral token is refused", () => {
    process.env.SYNTH_HCL_OUTPUT = "true";
    expect(mistakesOf(stackWith(TokenResolution.EPHEMERAL))).toEqual([
      expect.stringMatching(
        /^\[stack\/a\] This token and 2 more are ephemeral.*\[ERR_HCL_OUTPUT\]$/,
      ),
    ]);
  });

  test.each(["true", "1"])(
    "is requested by %s; the error about one token speaks of that one only",
    (asked) => {
      process.env.SYNTH_HCL_OUTPUT = asked;
      expect(mistakesOf(stackWith(TokenResolution.EPHEMERAL, ["a"]))).toEqual([
        expect.stringMatching(/^\[stack\/a\] This token is ephemeral, but the output is HCL\./),
      ]);
    },
  );

  test("is requested by the app, and the error counts ephemeral tokens only", () => {
    const stack = new TerraformStack(
      new App({ outdir: temporaryFolder(), hclOutput: true }),
      "stack",
    );
    for (const resolution of [TokenResolution.DATA, TokenResolution.EPHEMERAL])
      new ServiceUserToken(stack, resolution, {
        identity: identityIn(stack, `for-${resolution}`),
        scope: TokenScope.account(),
        resolution,
      });
    expect(mistakesOf(stack)).toEqual([
      expect.stringMatching(/^\[stack\/ephemeral\] This token is ephemeral/),
    ]);
  });

  test.each(["false", "", "0"])("is not requested by %j", (asked) => {
    process.env.SYNTH_HCL_OUTPUT = asked;
    expect(mistakesOf(stackWith(TokenResolution.EPHEMERAL))).toEqual([]);
  });

  test("with an ephemeral token never drops it, even with validations skipped", () => {
    expect(() => Testing.synthHcl(stackWith(TokenResolution.EPHEMERAL))).toThrow(
      expect.objectContaining({ code: "ERR_HCL_OUTPUT" }),
    );
  });

  test("with data tokens works", () => {
    process.env.SYNTH_HCL_OUTPUT = "true";
    const stack = stackWith(TokenResolution.DATA);
    expect(mistakesOf(stack)).toEqual([]);
    const hcl = Testing.synthHcl(stack);
    expect(hcl).toMatch(/data "iam_token" "a" \{\s+provider = "iam\.identity"\s+scope = "account"/);
    expect(hcl).toMatch(/account_id = "123456"/);
  });
});
