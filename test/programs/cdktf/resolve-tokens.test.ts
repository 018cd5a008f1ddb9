import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { scanForLeaks } from "../../../lib/testing";
import { type Scenario, scenarios } from "../../scenarios/scenario";
import { type CommandResult, startCommand } from "../../support/command";
import { commandLine, runCdktf } from "../../support/framework";
import { makeProject, type Project } from "../../support/project";
import { terraformEnvironment } from "../../support/terraform";

/** A user's app, which resolves its tokens before it is synthesized. */
function appOf({ identity }: Scenario): string {
  return `
import { App, DataResource, TerraformOutput, TerraformStack } from "cdktf";
import { IdentityService, resolveTokens, SecretRef, ServiceUserToken, TokenResolution, TokenScope } from "cdktf-iam-tokens";

async function main() {
  const app = new App();
  const stack = new TerraformStack(app, "main");
  const identity = new IdentityService(stack, "identity", {
    authUrl: "${identity.authUrl}",
    accountId: "123456",
    serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
  });
  const scope = TokenScope.project("web");
  const token = new ServiceUserToken(stack, "web", { identity, scope, resolution: TokenResolution.SYNTH });
  new DataResource(stack, "made-web", {
    provisioners: [{ type: "local-exec", command: 'test -n "$TOKEN"', environment: { TOKEN: token.value } }],
  });
  new TerraformOutput(stack, "print-web", { value: token.fingerprint, staticId: true });
  await resolveTokens(app);
  app.synth();
}
void main();
`;
}

scenarios("tokens that are resolved before synthesis, by the cdktf command line", (stage) => {
  let project: Project | undefined;

  afterEach(() => {
    project?.remove();
    project = undefined;
  });

  function start(app: string): Project {
    project = makeProject({ app });
    return project;
  }

  // CI is set by the tests' command; here a developer sits at the machine.
  const run = (
    { folder }: Project,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<CommandResult> =>
    runCdktf(folder, args, {
      scratch: stage().scratch,
      env: { ...stage().secrets, CI: "0", ...env },
    });

  async function succeed(
    at: Project,
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): Promise<CommandResult> {
    const result = await run(at, args, env);
    if (result.exitCode !== 0)
      throw new Error(`cdktf ${args.join(" ")} ended with ${result.exitCode}:\n${result.text}`);
    return result;
  }

  const fileOf = (at: Project) => join(at.stackFolder("main"), "iam-tokens.auto.tfvars.json");

  test("deploy makes one pass; output and destroy skip it", async () => {
    const own = start(appOf(stage()));
    const skip = { IAM_TOKENS_SKIP_RESOLVE: "1", SERVICE_USER_PASSWORD: "" };
    const texts: Record<string, string> = {};
    texts.deploy = (await succeed(own, ["deploy", "--auto-approve"])).text;
    expect(stage().requests()).toBe(1);
    const [token = ""] = stage().identity.issuedTokens();
    texts.output = (await succeed(own, ["output"], skip)).text;
    expect(texts.output).toMatch(/print-web = [0-9a-f]{12}/);
    expect(statSync(fileOf(own)).mode & 0o777).toBe(0o600);
    const { findings } = scanForLeaks({
      canaries: { token },
      folders: [own.folder, stage().scratch.folder],
      texts,
    });
    expect(findings.map(({ where }) => where)).toEqual([fileOf(own)]);

    // Nothing of the deploy is needed but the state.
    rmSync(join(own.folder, "cdktf.out"), { recursive: true });
    texts.destroy = (await succeed(own, ["destroy", "--auto-approve"], skip)).text;
    expect(texts.destroy).toMatch(/1 destroyed|Destruction complete/);
    expect(stage().requests()).toBe(0);
  });

  test("in CI the pass writes no file and says what to do; a program passes the values to deploy --skip-synth", async () => {
    const own = start(appOf(stage()));
    const reported = await succeed(own, ["synth"], { CI: "true" });
    expect(reported.text.match(/writeFile: true/g)).toHaveLength(1);
    expect(existsSync(fileOf(own))).toBe(false);

    const [node, cli] = commandLine();
    const program = appOf(stage()).replace(
      /await resolveTokens\(app\);\n {2}app\.synth\(\);/,
      `const resolved = await resolveTokens(app);
  app.synth();
  const { spawnSync } = await import("node:child_process");
  const env = { ...process.env, ...resolved.environment() };
  const { status } = spawnSync(${JSON.stringify(node)}, [${JSON.stringify(cli)}, "deploy", "--skip-synth", "--auto-approve"], { env, stdio: "inherit" });
  process.exitCode = status ?? 1;`,
    );
    own.writeApp(program);
    const deployed = await startCommand(process.execPath, ["--import", "tsx", "main.ts"], {
      cwd: own.folder,
      env: {
        ...terraformEnvironment(stage().scratch),
        ...stage().secrets,
        CI: "true",
        TSX_DISABLE_CACHE: "1",
      },
    }).finished;
    expect(deployed.text).toContain("Creation complete");
    expect(deployed.exitCode).toBe(0);
    expect(existsSync(fileOf(own))).toBe(false);
    const tokens = stage().identity.issuedTokens();
    const canaries = Object.fromEntries(tokens.map((token, index) => [`token ${index}`, token]));
    const { findings } = scanForLeaks({
      canaries,
      folders: [own.folder],
      texts: { deployed: deployed.text },
    });
    expect(findings).toEqual([]);
    expect(readFileSync(join(own.stackFolder("main"), "cdk.tf.json"), "utf8")).toContain(
      "web_token",
    );
  });
});
