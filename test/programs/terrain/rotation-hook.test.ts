import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Scenario, scenarios } from "../../scenarios/scenario";
import { runCdktf } from "../../support/framework";
import { hasGo } from "../../support/go-build";
import { GO_PROVIDERS, installProvider } from "../../support/go-providers";
import { makeProject, type Project, packageRoot } from "../../support/project";
import { testIf } from "../../support/skips";

const appOf = ({ identity }: Scenario, release: number) => `
import { App, TerraformStack } from "cdktf";
import { IdentityService, RotationHook, RotationSchedule, SecretRef, ServiceUserToken, TokenResolution, TokenScope } from "cdktf-iam-tokens";
const app = new App();
const stack = new TerraformStack(app, "main");
const identity = new IdentityService(stack, "identity", {
  authUrl: "${identity.authUrl}",
  accountId: "123456",
  serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
});
const token = new ServiceUserToken(stack, "web", {
  identity,
  scope: TokenScope.project("web"),
  resolution: TokenResolution.ROTATING,
  schedule: RotationSchedule.every("6h"),
  keepers: { release: "${release}" },
});
new RotationHook(stack, "told", { token, command: 'echo "$IAM_TOKEN_HEADER" >>"$JOURNAL"' });
app.synth();
`;

/** The blocks of a language in a page of docs. */
const blocksOf = (page: string, language: string) =>
  [
    ...readFileSync(join(packageRoot, "docs", page), "utf8").matchAll(
      new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"),
    ),
  ].map(([, text = ""]) => text);

scenarios("a hook without @cdktn/provider-null", (stage) => {
  let project: Project;
  beforeEach(() => {
    project = makeProject({ app: appOf(stage(), 1), packages: ["cdktf", "constructs", "tsx"] });
  });
  afterEach(() => project.remove());

  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    runCdktf(project.folder, args, {
      scratch: stage().scratch,
      env: { ...stage().secrets, JOURNAL: join(stage().scratch.folder, "journal"), ...env },
    });
  async function succeed(...given: Parameters<typeof run>): Promise<string> {
    const { exitCode, text } = await run(...given);
    if (exitCode !== 0) throw new Error(`cdktn ${given[0][0]} ended with ${exitCode}:\n${text}`);
    return text;
  }

  test("says what it needs, and where this is documented", async () => {
    const { exitCode, text } = await run(["synth"]);
    expect(exitCode).toBe(1);
    expect(text).toContain("A hook needs the package @cdktn/provider-null, which is not installed");
    expect(text).toContain("[ERR_PEER_MISSING]");
    expect(text).toContain("docs/terrain.md");
  });

  testIf(hasGo(), "there is no Go here to build hashicorp/null with")(
    "runs at each rotation by the bindings that cdktn get makes of the real provider",
    async () => {
      // As docs/terrain.md says.
      const { folder } = project;
      const [settings = "", manifest = ""] = blocksOf("terrain.md", "json");
      const configuration = join(folder, "cdktf.json");
      const { terraformProviders } = JSON.parse(settings);
      writeFileSync(
        configuration,
        JSON.stringify({ ...JSON.parse(readFileSync(configuration, "utf8")), terraformProviders }),
      );
      mkdirSync(join(folder, "provider-null"));
      writeFileSync(join(folder, "provider-null/package.json"), manifest);
      const [index = ""] = blocksOf("terrain.md", "js");
      writeFileSync(join(folder, "provider-null/index.js"), index);
      await succeed(["get"], { TF_CLI_CONFIG_FILE: await mirrorWithNull(stage()) });
      // As npm install ./provider-null does.
      mkdirSync(join(folder, "node_modules/@cdktn"));
      symlinkSync("../../provider-null", join(folder, "node_modules/@cdktn/provider-null"), "dir");

      await installProvider(project.stackFolder("main"), "null");
      const journal = () => readFileSync(join(stage().scratch.folder, "journal"), "utf8");
      await succeed(["deploy", "--auto-approve"]);
      expect(journal()).toBe("X-Auth-Token\n");
      expect(await succeed(["diff"])).toContain("No changes.");
      project.writeApp(appOf(stage(), 2));
      await succeed(["deploy", "--auto-approve"]);
      expect(journal()).toBe("X-Auth-Token\nX-Auth-Token\n");
    },
    240_000,
  );
});

/** A configuration of Terraform's command line by which it finds the null provider. */
async function mirrorWithNull({ scratch }: Scenario): Promise<string> {
  const folder = join(scratch.folder, "for-get");
  await installProvider(folder, "null", GO_PROVIDERS.null.release);
  const file = join(scratch.folder, "for-get.tfrc");
  const path = JSON.stringify(join(folder, "terraform.d/plugins"));
  writeFileSync(
    file,
    `provider_installation {\n  filesystem_mirror {\n    path = ${path}\n  }\n}\n`,
  );
  return file;
}
