import { Testing } from "cdktf";
import { TokenResolution } from "../../lib";
import { accountToken, testStack } from "./support";

test("a stack with tokens is not written as HCL, even with validations skipped", () => {
  const stack = testStack();
  accountToken(stack, { resolution: TokenResolution.data() });
  expect(() => Testing.synthHcl(stack)).toThrow(
    /^The stack stack is written as HCL\. .*without --hcl.*\[ERR_HCL_OUTPUT\]$/,
  );
});
