import { existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { scanForLeaks } from "../../../lib/testing";
import { type Scenario, scenarios } from "../../scenarios/world";
import { startCommand } from "../../support/command";
import { commandLine } from "../../support/framework";
import { terraformEnvironment } from "../../support/terraform";
import { DEPLOY, DESTROY, identityOf, userProject } from "../user-project";

/** A user's app, which resolves its tokens before it is synthesized, and what it does then. */
const appOf = (stage: Scenario, options = "{ writeFile: true }", then = "") => `
import { spawnSync } from "node:child_process";
import { App, DataResource, TerraformOutput, TerraformStack } from "cdktf";
import { IdentityService, resolveTokens, SecretRef, ServiceUserToken, TokenResolution, TokenScope } from "cdktf-iam-tokens";

async function main() {
  const app = new App();
  const stack = new TerraformStack(app, "main");
  ${identityOf(stage)}
  const scope = TokenScope.project("web");
  const token = new ServiceUserToken(stack, "web", { identity, scope, resolution: TokenResolution.synth() });
  new DataResource(stack, "made-web", {
    provisioners: [{ type: "local-exec", command: 'test -n "$TOKEN"', environment: { TOKEN: token.value } }],
  });
  new TerraformOutput(stack, "print-web", { value: token.fingerprint, staticId: true });
  const resolved = await resolveTokens(app, ${options});
  app.synth();
  ${then}
}
void main();
`;

scenarios("tokens that are resolved before synthesis, by the cdktf command line", (stage) => {
  const user = userProject(stage);
  /** Where tokens are, in the project and in what was printed. */
  const places = (folder: string, ...texts: readonly string[]) => {
    const { findings, notScanned } = scanForLeaks({
      canaries: Object.fromEntries(stage().identity.issuedTokens().entries()),
      folders: [folder, stage().scratch.folder],
      texts: Object.fromEntries(texts.entries()),
    });
    return [...findings, ...notScanned].map(({ where }) => where);
  };

  test("deploy makes one pass; output and destroy skip it", async () => {
    const { folder, stackFolder } = user.start(appOf(stage()));
    const file = join(stackFolder("main"), "iam-tokens.auto.tfvars.json");
    const run = (args: string[], env = {}) => user.cdktf(args, env);
    const skip = { IAM_TOKENS_SKIP_RESOLVE: "1", SERVICE_USER_PASSWORD: "" };
    // The command line logs what the program writes to standard error.
    const deployed = await run(DEPLOY, { GITHUB_ACTIONS: "true" });
    expect(stage().requests()).toBe(1);
    const output = await run(["output"], skip);
    expect(output).toMatch(/print-web = [0-9a-f]{12}/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(places(folder, deployed, output)).toEqual([file]);

    // Nothing of the deploy is needed but the state.
    rmSync(join(folder, "cdktf.out"), { recursive: true });
    expect(await run(DESTROY, skip)).toMatch(/1 destroyed|Destruction complete/);
    expect(stage().requests()).toBe(0);
  });

  test("without a file, a program passes the values to deploy --skip-synth", async () => {
    const deploy = JSON.stringify([...commandLine(), ...DEPLOY, "--skip-synth"]);
    const own = user.start(
      appOf(
        stage(),
        "{}",
        `const [program, ...args] = ${deploy};
  const env = { ...process.env, ...resolved.environment() };
  process.exitCode = spawnSync(program, args, { env, stdio: "inherit" }).status ?? 1;`,
      ),
    );
    // Its own run of Terraform could only ask for the value.
    await expect(user.cdktf(DEPLOY)).rejects.toThrow("ERR_TOKENS_NOT_RESOLVED");
    const { scratch, secrets } = stage();
    const env = {
      ...terraformEnvironment(scratch),
      ...secrets,
      CI: "true",
      TSX_DISABLE_CACHE: "1",
    };
    const { exitCode, text } = await startCommand(
      process.execPath,
      ["--import", "tsx", "main.ts"],
      { cwd: own.folder, env },
    ).finished;
    expect([exitCode, text]).toEqual([0, expect.stringContaining("Creation complete")]);
    expect(existsSync(join(own.stackFolder("main"), "iam-tokens.auto.tfvars.json"))).toBe(false);
    expect(stage().requests()).toBe(1);
    expect(places(own.folder, text)).toEqual([]);
  });
});
