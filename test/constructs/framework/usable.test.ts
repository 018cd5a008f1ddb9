import type * as cdktf from "cdktf";
import * as cdktn from "cdktn";
import { resolveTokens, SecretRef, StaticTokenRef } from "../../../lib";
import { accountToken, identityIn, temporaryFolder, testStack } from "../support";

const foreignApp = () => new cdktn.App({ outdir: temporaryFolder() }) as unknown as cdktf.App;
const MISMATCH =
  /^The program uses cdktn 0\.24\.0, but cdktf-iam-tokens works with cdktf\. Install cdktn-iam-tokens instead .*npm install cdktn-iam-tokens\. \[ERR_FRAMEWORK_MISMATCH\]$/;

/** Declarations in a stack, one with a token of a stack that is ours. */
const DECLARATIONS: Readonly<Record<string, (stack: cdktf.TerraformStack) => unknown>> = {
  IdentityService: (stack) => identityIn(stack),
  StaticTokenRef: (stack) => new StaticTokenRef(stack, "t", { source: SecretRef.env("T") }),
  reopenIn: (stack) => accountToken(testStack()).reopenIn(stack),
};

test.each(Object.entries(DECLARATIONS))(
  "in a program of CDK Terrain, %s names the right package, at once",
  (_name, declare) => {
    const foreign = new cdktn.TerraformStack(foreignApp() as never, "a");
    expect(() => declare(foreign as never)).toThrow(MISMATCH);
  },
);

test("so does resolveTokens", async () => {
  await expect(resolveTokens(foreignApp())).rejects.toThrow(MISMATCH);
});
