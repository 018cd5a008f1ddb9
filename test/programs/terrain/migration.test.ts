import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Scenario, scenarios } from "../../scenarios/scenario";
import { runCdktf } from "../../support/framework";
import { hasGo } from "../../support/go-build";
import { installProvider } from "../../support/go-providers";
import { makeProject, type Project } from "../../support/project";
import { testIf } from "../../support/skips";
import { type Framework, installFor, inTerrain } from "../../support/terrain";

/** What @cdktf/provider-null requires. */
const NULL_VERSION = "3.2.4";

const PACKAGES = ["cdktf-iam-tokens", "cdktf", "constructs", "@cdktf/provider-null", "tsx"];

/** A program of CDKTF with all that a state knows: rotating tokens, a rotation, a hook, outputs. */
const appOf = ({ identity }: Scenario) => `
import { App, TerraformStack } from "cdktf";
import { IdentityService, RotationHook, RotationSchedule, SecretRef, ServiceUserToken, TokenOutputs, TokenResolution, TokenRotation, TokenScope } from "cdktf-iam-tokens";
const app = new App();
const stack = new TerraformStack(app, "main");
const identity = new IdentityService(stack, "identity", {
  authUrl: "${identity.authUrl}",
  accountId: "123456",
  serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
});
const schedule = RotationSchedule.every("6h");
const resolution = TokenResolution.ROTATING;
const web = new ServiceUserToken(stack, "web", { identity, scope: TokenScope.project("web"), resolution, schedule });
const account = new ServiceUserToken(stack, "account", { identity, scope: TokenScope.account(), resolution, schedule, keepers: { release: "1" } });
new TokenRotation(stack, "rotation", { schedule });
new RotationHook(stack, "told", { token: web, command: "true" });
new TokenOutputs(stack, "ci", { token: account });
app.synth();
`;

scenarios("a stack of CDKTF with rotating tokens in its state", (stage) => {
  let project: Project;
  beforeEach(() => {
    project = makeProject({ app: appOf(stage()), framework: "cdktf" });
  });
  afterEach(() => project.remove());

  async function succeed(framework: Framework, ...args: string[]): Promise<string> {
    const { scratch, secrets: env } = stage();
    const { exitCode, text } = await runCdktf(project.folder, args, { scratch, env, framework });
    if (exitCode !== 0) throw new Error(`${framework} ${args[0]} ended with ${exitCode}:\n${text}`);
    return text;
  }

  /** The objects and outputs in the state; Terraform orders everything else as it likes. */
  function stateOf(): unknown {
    const text = readFileSync(join(project.folder, "terraform.main.tfstate"), "utf8");
    const { outputs, resources } = JSON.parse(text) as {
      readonly outputs: unknown;
      readonly resources: readonly { readonly instances: readonly { attributes: unknown }[] }[];
    };
    return [outputs, resources.map(({ instances }) => instances.map((each) => each.attributes))];
  }

  testIf(hasGo(), "there is no Go here to build hashicorp/null with")(
    "moves to CDK Terrain without a replacement or a new token",
    async () => {
      const folder = project.stackFolder("main");
      await installProvider(folder, "null", NULL_VERSION);
      await succeed("cdktf", "deploy", "--auto-approve");
      expect(stage().requests()).toBe(2);
      const before = stateOf();
      const lock = readFileSync(join(folder, ".terraform.lock.hcl"), "utf8");

      // As docs/terrain.md says: other packages, and their names in the imports.
      const modules = join(project.folder, "node_modules");
      rmSync(modules, { recursive: true });
      for (const name of PACKAGES) installFor("cdktn", name, modules);
      writeFileSync(join(project.folder, "main.ts"), inTerrain(appOf(stage())));
      expect(existsSync(join(modules, "cdktf"))).toBe(false);
      expect(await succeed("cdktn", "diff")).toContain("No changes.");
      expect(readFileSync(join(folder, ".terraform.lock.hcl"), "utf8")).toBe(lock);

      // And in a fresh checkout.
      rmSync(join(project.folder, "cdktf.out"), { recursive: true });
      await installProvider(folder, "null", NULL_VERSION);
      await succeed("cdktn", "deploy", "--auto-approve");
      expect(stage().requests()).toBe(0);
      expect(stateOf()).toEqual(before);
      expect(await succeed("cdktn", "destroy", "--auto-approve")).toContain("4 destroyed");
    },
    360_000,
  );
});
