import type * as cdktf from "cdktf";
import * as cdktn from "cdktn";
import { resolveTokens } from "../../../lib";
import { temporaryFolder } from "../../support/temporary-folder";
import { accountToken, identityIn, testStack } from "../support";

test("in a program of CDK Terrain, a declaration, a copy and resolveTokens name the right package", async () => {
  const app = new cdktn.App({ outdir: temporaryFolder() });
  const stack = new cdktn.TerraformStack(app, "a") as unknown as cdktf.TerraformStack;
  const says =
    /^The program uses cdktn 0\.24\.0, but cdktf-iam-tokens works with cdktf\. Install cdktn-iam-tokens instead .*npm install cdktn-iam-tokens\. \[ERR_FRAMEWORK_MISMATCH\]$/;
  expect(() => identityIn(stack)).toThrow(says);
  expect(() => accountToken(testStack()).reopenIn(stack)).toThrow(says);
  await expect(resolveTokens(app as unknown as cdktf.App)).rejects.toThrow(says);
});
