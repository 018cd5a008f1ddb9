import { Testing } from "cdktf";
import { ServiceUserToken, TokenResolution, TokenScope } from "../../../lib";
import { identityIn, mistakesOf, testStack } from "../support";

const before = process.env.SYNTH_HCL_OUTPUT;

afterEach(() => {
  if (before === undefined) delete process.env.SYNTH_HCL_OUTPUT;
  else process.env.SYNTH_HCL_OUTPUT = before;
});

function stackWith(resolution: TokenResolution) {
  const stack = testStack();
  const identity = identityIn(stack);
  for (const id of ["a", "b", "c"])
    new ServiceUserToken(stack, id, { identity, scope: TokenScope.account(), resolution });
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
