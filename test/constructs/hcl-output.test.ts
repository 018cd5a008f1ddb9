import { Fn, Testing } from "cdktf";
import { RotationHook, TokenResolution } from "../../lib";
import { accountToken, identityIn, testStack } from "./support";

test("an ephemeral token is never dropped from HCL output, even with validations skipped", () => {
  const stack = testStack();
  accountToken(stack);
  expect(() => Testing.synthHcl(stack)).toThrow(
    /^stack\/t is ephemeral, but the output is HCL\..*\[ERR_HCL_OUTPUT\]$/,
  );
});

test("a hook is not written as HCL, whose writer escapes nothing", () => {
  const stack = testStack();
  const token = accountToken(stack, { resolution: TokenResolution.ROTATING });
  new RotationHook(stack, "hook", { token, command: "true" });
  expect(() => Testing.synthHcl(stack)).toThrow(/^\[stack\/hook\] .*\[ERR_HCL_OUTPUT\]$/);
});

test("data tokens are written in HCL", () => {
  const stack = testStack();
  const identity = identityIn(stack);
  const token = (id: string, destinations: string[]) =>
    accountToken(stack, { identity, resolution: TokenResolution.DATA, destinations }, id);
  token("a", ["https://a.example.com", "${var.url}"]);
  token("b", Fn.split(",", "${var.urls}"));
  const hcl = Testing.synthHcl(stack);
  expect(hcl).toMatch(/data "iam_token" "a" \{\s+provider = "?iam\.identity"?\s+scope = "account"/);
  expect(hcl).toMatch(/account_id = "123456"/);
  expect(hcl).toMatch(/destinations = \[\s*"https:\/\/a\.example\.com",\s*"\$\{var\.url\}"/);
  expect(hcl).toMatch(/destinations = (?:"\$\{)?split\(",", /);
  // As cdktf writes what is undefined.
  expect(hcl).not.toMatch(/is_?block/i);
});
