import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { REQUESTS_OF_APPLY, type Scenario, scenarios } from "../../scenarios/scenario";
import type { CommandResult } from "../../support/command";
import { runCdktf } from "../../support/framework";
import { hasGo } from "../../support/go-build";
import { installProvider } from "../../support/go-providers";
import { makeProject, type Project } from "../../support/project";
import { testIf } from "../../support/skips";

/** The text of a user's app: a token, and whatever else the scenario has. */
function appOf(
  { identity }: Scenario,
  { imports = "", body = "" }: { imports?: string; body?: string } = {},
): string {
  return `
import { App, TerraformStack } from "cdktf";
import { IdentityService, SecretRef, ServiceUserToken, TokenScope } from "cdktf-iam-tokens";
${imports}
const app = new App();
const stack = new TerraformStack(app, "main");
const identity = new IdentityService(stack, "identity", {
  authUrl: "${identity.authUrl}",
  accountId: "123456",
  serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
});
const token = new ServiceUserToken(stack, "web", { identity, scope: TokenScope.project("web") });
${body}
app.synth();
`;
}

const NO_GO = "there is no Go here to build hashicorp/null with";

/** What @cdktf/provider-null requires. */
const NULL_VERSION = "3.2.4";

const NULL_IMPORTS = `
import { NullProvider } from "@cdktf/provider-null/lib/provider";
import { Resource } from "@cdktf/provider-null/lib/resource";
`;
const NULL_RESOURCE = `
new NullProvider(stack, "null");
new Resource(stack, "hook", {
  triggers: { always: "1" },
  dependsOn: [token],
  provisioners: [{ type: "local-exec", command: 'test -n "$TOKEN"', environment: { TOKEN: token.value } }],
});
`;

scenarios("the cdktf command line, with no flag, variable or configuration", (stage) => {
  let project: Project | undefined;

  afterEach(() => {
    project?.remove();
    project = undefined;
  });

  function start(app: string): Project {
    project = makeProject({ app });
    return project;
  }

  async function succeed({ folder }: Project, args: readonly string[]): Promise<CommandResult> {
    const result = await runCdktf(folder, args, { scratch: stage().scratch, env: stage().secrets });
    if (result.exitCode !== 0)
      throw new Error(`cdktf ${args[0]} ended with ${result.exitCode}:\n${result.text}`);
    return result;
  }

  const deploy = (at: Project) => succeed(at, ["deploy", "--auto-approve"]);
  const destroy = (at: Project) => succeed(at, ["destroy", "--auto-approve"]);

  const lockOf = (at: Project) =>
    readFileSync(join(at.stackFolder("main"), ".terraform.lock.hcl"), "utf8");

  test("deploys a stack of a project of ES modules, twice with the same bytes, and destroys it", async () => {
    const own = start(appOf(stage()));
    writeFileSync(
      join(own.folder, "package.json"),
      JSON.stringify({ name: "project", private: true, type: "module" }),
    );
    await deploy(own);
    expect(stage().requests()).toBe(REQUESTS_OF_APPLY);
    const before = snapshot(own);
    await deploy(own);
    expect(snapshot(own)).toEqual(before);
    await destroy(own);
    expect(lockOf(own)).not.toContain("/*");
  });

  const withNull = (version: string) =>
    appOf(stage(), {
      imports: NULL_IMPORTS,
      body: `${NULL_RESOURCE}\nstack.addOverride("terraform.required_providers.null.version", "${version}");`,
    });

  testIf(hasGo(), NO_GO)(
    "deploys the real null provider together with the token: on a first run, on a second one, in another version",
    async () => {
      const own = start(withNull("3.3.0"));
      const folder = own.stackFolder("main");
      await installProvider(folder, "null", "3.3.0");
      await installProvider(folder, "null", "3.3.1");
      expect((await deploy(own)).text).toContain("null_resource.hook");
      const locked = lockOf(own);
      expect(locked).toContain('version     = "3.3.0"');
      await deploy(own);
      expect(lockOf(own)).toBe(locked);
      own.writeApp(withNull("3.3.1"));
      await deploy(own);
      expect(lockOf(own)).toContain('version     = "3.3.1"');
      expect(lockOf(own)).not.toContain('version     = "3.3.0"');
    },
    240_000,
  );

  testIf(hasGo(), NO_GO)(
    "takes the real null provider into a stack that is locked already",
    async () => {
      const own = start(appOf(stage()));
      await deploy(own);
      own.writeApp(appOf(stage(), { imports: NULL_IMPORTS, body: NULL_RESOURCE }));
      await installProvider(own.stackFolder("main"), "null", NULL_VERSION);
      expect((await deploy(own)).text).toContain("null_resource.hook");
      expect(lockOf(own)).toMatch(
        /provider "registry\.terraform\.io\/hashicorp\/null" \{\n {2}version {5}= "3\.\d+\.\d+"/,
      );
      expect(lockOf(own)).toMatch(/provider "npm\.invalid\/cdktf-iam-tokens\/iam" \{/);
    },
  );

  test("prints every wrong value of a stack at once, each with its path", async () => {
    const own = start(
      appOf(stage(), {
        body: `
new ServiceUserToken(stack, "padded", { identity, scope: TokenScope.project(" web") });
new IdentityService(stack, "open", { authUrl: "http://cloud.api.example.com", accountId: "",
  serviceUser: { name: "deployer", password: SecretRef.env("PASSWORD") } });
`,
      }),
    );
    const result = await runCdktf(own.folder, ["synth"], { scratch: stage().scratch });
    expect(result.exitCode).toBe(1);
    for (const expected of [
      /\[main\/padded\].*ERR_NAME_INVALID/,
      /\[main\/open\].*ERR_ADDRESS_INVALID/,
      /\[main\/open\].*ERR_ACCOUNT_INVALID/,
    ]) {
      expect(result.text).toMatch(expected);
    }
  });
});

function snapshot(project: Project): Record<string, string> {
  const folder = project.stackFolder("main");
  const base = join(folder, "terraform.d/plugins/npm.invalid/cdktf-iam-tokens/iam/0.1.0");
  const files = ["linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64"].flatMap((platform) =>
    [
      "terraform-provider-iam_v0.1.0",
      ...["main.cjs", "provider.cjs", "objects.cjs", "identity.cjs", "clouds.cjs"],
    ].map((name) => join(base, platform, name)),
  );
  return Object.fromEntries(
    [join(folder, "cdk.tf.json"), ...files].map((file) => [file, readFileSync(file, "base64")]),
  );
}
