import type * as cdktf from "cdktf";
import * as cdktn from "cdktn";
import {
  IdentityService,
  RotationHook,
  RotationSchedule,
  resolveTokens,
  SecretRef,
  ServiceUserToken,
  StaticTokenRef,
  TokenOutputs,
  TokenRotation,
  TokenScope,
} from "../../../lib";
import { accountToken, identityIn, temporaryFolder, testStack } from "../support";

describe("in a program of CDK Terrain", () => {
  const foreignApp = () => new cdktn.App({ outdir: temporaryFolder() });
  const foreignStack = () =>
    new cdktn.TerraformStack(foreignApp(), "a") as unknown as cdktf.TerraformStack;
  const MISMATCH =
    /^The program uses cdktn 0\.24\.0, but cdktf-iam-tokens works with cdktf\. Install cdktn-iam-tokens instead .*npm install cdktn-iam-tokens\. \[ERR_FRAMEWORK_MISMATCH\]$/;
  const schedule = RotationSchedule.every("6h");
  const own = () => {
    const stack = testStack();
    const identity = identityIn(stack);
    return accountToken(stack, { identity }, "token");
  };

  test.each<{ readonly name: string; readonly declare: (stack: cdktf.TerraformStack) => unknown }>([
    { name: "IdentityService", declare: (stack) => identityIn(stack) },
    {
      name: "ServiceUserToken",
      declare: (stack) =>
        new ServiceUserToken(stack, "t", {
          identity: identityIn(testStack()),
          scope: TokenScope.account(),
        }),
    },
    {
      name: "StaticTokenRef",
      declare: (stack) => new StaticTokenRef(stack, "t", { source: SecretRef.env("T") }),
    },
    { name: "TokenRotation", declare: (stack) => new TokenRotation(stack, "t", { schedule }) },
    { name: "TokenOutputs", declare: (stack) => new TokenOutputs(stack, "t", { token: own() }) },
    {
      name: "RotationHook",
      declare: (stack) => new RotationHook(stack, "t", { token: own(), command: "true" }),
    },
    { name: "reopenIn", declare: (stack) => own().reopenIn(stack) },
    {
      name: "IdentityService.fromEnvironment",
      declare: (stack) => IdentityService.fromEnvironment(stack, "i"),
    },
  ])("$name names the right package, at once", ({ declare }) => {
    expect(() => declare(foreignStack())).toThrow(MISMATCH);
  });

  test("resolveTokens names the right package", async () => {
    await expect(resolveTokens(foreignApp() as unknown as cdktf.App)).rejects.toThrow(MISMATCH);
  });
});
