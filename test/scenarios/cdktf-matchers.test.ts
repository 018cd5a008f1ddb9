import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setupJest } from "cdktf/lib/testing/adapters/jest";
import {
  SecretRef,
  ServiceUserToken,
  StaticTokenRef,
  TokenOutputs,
  TokenResolution,
  TokenScope,
} from "../../lib";
import { scenarios } from "./scenario";
import { identityIn, StackOf } from "./stacks";

setupJest();

scenarios("cdktf's own matchers for jest", (stage) => {
  test("find it valid without a secret or a service, and plan it", () => {
    const file = join(stage().scratch.home, "static-token");
    writeFileSync(file, stage().staticToken, { mode: 0o600 });
    const app = stage().synth((root) => {
      new StackOf(root, "issued", (scope) => {
        const identity = identityIn(scope, stage());
        new ServiceUserToken(scope, "web", { identity, scope: TokenScope.project("web") });
        const shared = { identity, scope: TokenScope.account(), resolution: TokenResolution.DATA };
        new TokenOutputs(scope, "ci", { token: new ServiceUserToken(scope, "shared", shared) });
      });
    });
    expect(app.outdir).toBeValidTerraform();
    expect(stage().requests()).toBe(0);

    // The matchers run Terraform while this process waits for it, and the identity service with it:
    // so nothing is issued here.
    const planned = stage().synth((root) => {
      new StackOf(root, "looked-up", (scope) => {
        new StaticTokenRef(scope, "dns", { source: SecretRef.file(file) });
      });
    });
    expect(planned.outdir).toPlanSuccessfully();
    writeFileSync(file, "");
    expect(planned.outdir).not.toPlanSuccessfully();
  });
});
