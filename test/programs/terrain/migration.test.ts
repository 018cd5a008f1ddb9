import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Scenario, scenarios } from "../../scenarios/world";
import { hasGo } from "../../support/go-build";
import { installProvider } from "../../support/go-providers";
import { testIf } from "../../support/skips";
import { installFor, inTerrain } from "../../support/terrain";
import { DEPLOY, DESTROY, identityOf, userProject } from "../user-project";

/** One that a hook accepts. */
const NULL_VERSION = "3.2.4";

/** A program of CDKTF with all that a state knows: rotating tokens, a rotation, a hook, outputs. */
const appOf = (stage: Scenario) => `
import { App, TerraformStack } from "cdktf";
import { IdentityService, RotationHook, RotationSchedule, SecretRef, ServiceUserToken, TokenOutputs, TokenResolution, TokenRotation, TokenScope } from "cdktf-iam-tokens";
const app = new App();
const stack = new TerraformStack(app, "main");
${identityOf(stage)}
const schedule = RotationSchedule.every("6h");
const keepers = { release: process.env.RELEASE ?? "1" };
const web = new ServiceUserToken(stack, "web", { identity, scope: TokenScope.project("web"), resolution: TokenResolution.rotating({ schedule, keepers }) });
const account = new ServiceUserToken(stack, "account", { identity, scope: TokenScope.account(), resolution: TokenResolution.rotating({ schedule }) });
new TokenRotation(stack, "rotation", { schedule });
new RotationHook(stack, "told", { token: web, command: 'echo "$IAM_TOKEN_HEADER" >>"$JOURNAL"' });
new TokenOutputs(stack, "ci", { token: account });
app.synth();
`;

scenarios("a stack of CDKTF with rotating tokens in its state", (stage) => {
  const user = userProject(stage);

  testIf(hasGo(), "there is no Go here to build hashicorp/null with")(
    "moves to CDK Terrain without a replacement or a new token",
    async () => {
      const { folder, stackFolder } = user.start(appOf(stage()), { framework: "cdktf" });
      const inProject = (...names: string[]) => join(folder, ...names);
      const read = (name: string) => readFileSync(inProject(name), "utf8");
      const JOURNAL = inProject("journal");
      const cdktn = (args: string[], env = {}) => user.cdktf(args, { JOURNAL, ...env }, "cdktn");
      await installProvider(stackFolder("main"), "null", NULL_VERSION);
      await user.cdktf(DEPLOY, { JOURNAL }, "cdktf");
      expect(stage().requests()).toBe(2);
      /** The objects and outputs in the state; Terraform orders everything else as it likes. */
      const stateOf = () => {
        const { outputs, resources } = JSON.parse(read("terraform.main.tfstate")) as {
          readonly outputs: unknown;
          readonly resources: readonly { readonly instances: readonly { attributes: unknown }[] }[];
        };
        return [
          outputs,
          resources.flatMap(({ instances }) => instances.map((each) => each.attributes)),
        ];
      };
      const before = stateOf();

      // As docs/terrain.md says: other packages, and their names in the imports.
      const modules = inProject("node_modules");
      rmSync(modules, { recursive: true });
      for (const name of ["cdktf-iam-tokens", "cdktf", "constructs", "tsx"])
        installFor("cdktn", name, modules);
      writeFileSync(inProject("main.ts"), inTerrain(appOf(stage())));
      expect(await cdktn(["diff"])).toContain("No changes.");
      // And in a fresh checkout.
      rmSync(inProject("cdktf.out"), { recursive: true });
      await installProvider(stackFolder("main"), "null", NULL_VERSION);
      await cdktn(DEPLOY);
      expect(stage().requests()).toBe(0);
      expect(stateOf()).toEqual(before);
      expect(read("journal")).toBe("X-Auth-Token\n");
      await cdktn(DEPLOY, { RELEASE: "2" });
      expect(read("journal")).toBe("X-Auth-Token\nX-Auth-Token\n");
      expect(await cdktn(DESTROY)).toContain("4 destroyed");
    },
    360_000,
  );
});
