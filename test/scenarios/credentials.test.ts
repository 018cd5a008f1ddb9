import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TerraformStack, TerraformVariable } from "cdktf";
import {
  IdentityService,
  SecretRef,
  ServiceUserToken,
  StaticTokenRef,
  TokenOutputs,
  TokenResolution,
  TokenScope,
} from "../../lib";
import { serveAttached } from "../../lib/plugin/serve/serve-attached";
import { createIamProvider } from "../../lib/provider/iam-provider";
import { PROVIDER_SOURCE } from "../../lib/provider/names";
import { scanForLeaks } from "../../lib/testing";
import { type Scenario, scenarios } from "./scenario";
import { identityIn, StackOf } from "./stacks";

afterEach(() => void jest.restoreAllMocks());

/**
 * A project with its files, synthesized as the command line of CDKTF does it: from its folder, into
 * `cdktf.out`.
 */
function projectOf(
  stage: Scenario,
  files: Readonly<Record<string, string>>,
  build: (stack: TerraformStack) => void,
) {
  const folder = join(stage.scratch.folder, "project");
  mkdirSync(folder);
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  jest.spyOn(process, "cwd").mockReturnValue(folder);
  const app = stage.synth(
    (root) => void new StackOf(root, "main", build),
    join(folder, "cdktf.out"),
  );
  jest.restoreAllMocks();
  return app.stackFolder("main");
}

const cloudsYaml = ({ identity, password }: Scenario, more = ""): string => `clouds:
  prod:
    auth:
      auth_url: ${identity.authUrl}/identity/v3
      username: deployer
      password: ${password}
      user_domain_name: 123456
      project_name: web
    region_name: RegionOne
${more}`;

/** Two tokens: this distinguishes what is reported once from what is reported for each. */
function twoTokens(stack: TerraformStack, identity: IdentityService): void {
  new ServiceUserToken(stack, "web", { identity, scope: TokenScope.project("web") });
  const account = new ServiceUserToken(stack, "account", {
    identity,
    scope: TokenScope.account(),
    resolution: TokenResolution.DATA,
  });
  new TokenOutputs(stack, "ci", { token: account });
}

function passwordIsNowhere(
  { password, scratch }: Scenario,
  stackFolder: string,
  text: string,
): void {
  const { findings } = scanForLeaks({
    canaries: { password },
    folders: [stackFolder, scratch.tmp],
    texts: { text },
  });
  expect(findings).toEqual([]);
}

scenarios("credentials of clouds.yaml", (stage) => {
  test("are taken from the project's folder, by plain Terraform in the stack's; the password is nowhere else", async () => {
    const folder = projectOf(
      stage(),
      { "clouds.yaml": cloudsYaml(stage(), "    verify: false\n") },
      (stack) => twoTokens(stack, IdentityService.fromCloud(stack, "identity", "prod")),
    );
    await stage().succeed(folder, ["init"], {});
    const planned = await stage().succeed(folder, ["plan", "-out=saved", "-no-color"], {
      TF_LOG: "TRACE",
    });
    expect(planned.stdout).not.toContain("Warning");
    const applied = await stage().succeed(folder, ["apply", "saved"], {});
    expect(stage().identity.journal.every(({ status }) => status === 201)).toBe(true);
    stage().requests();
    const elsewhere = await stage().terraform(folder, ["plan"], {
      IAM_TOKENS_ALLOWED_AUTH_URLS: "https://other.example.com",
    });
    expect(elsewhere.text).toContain("ERR_ADDRESS_NOT_ALLOWED");
    expect(stage().requests()).toBe(0);
    passwordIsNowhere(stage(), folder, planned.text + applied.text + elsewhere.text);
  });
});

scenarios("secrets by reference", (stage) => {
  test("a password from an ephemeral variable or another ephemeral resource is not in a saved plan", async () => {
    const folder = projectOf(stage(), {}, (stack) => {
      const variable = new TerraformVariable(stack, "password", {
        type: "string",
        sensitive: true,
      });
      variable.addOverride("ephemeral", true);
      const store = new StaticTokenRef(stack, "store", {
        source: SecretRef.env("SERVICE_USER_PASSWORD"),
      });
      for (const [id, password] of [
        ["one", SecretRef.fromTerraform(variable.stringValue)],
        ["two", SecretRef.fromTerraform(store.value)],
        ["three", SecretRef.variable("declared")],
      ] as const) {
        const serviceUser = { name: "deployer", password };
        const identity = identityIn(stack, stage(), { serviceUser }, id);
        new ServiceUserToken(stack, `token-${id}`, { identity, scope: TokenScope.account() });
      }
    });
    const { password } = stage();
    const env = { ...stage().secrets, TF_VAR_password: password, TF_VAR_declared: password };
    await stage().succeed(folder, ["init"], {});
    const planned = await stage().succeed(folder, ["plan", "-out=saved"], env);
    const applied = await stage().succeed(folder, ["apply", "saved"], env);
    expect(stage().identity.journal.length).toBeGreaterThan(0);
    expect(stage().identity.journal.every(({ status }) => status === 201)).toBe(true);
    passwordIsNowhere(stage(), folder, planned.text + applied.text);
  });

  test("relative files are the project's, even if Terraform attaches to a provider that was started elsewhere", async () => {
    const files = {
      "secrets/password": `${stage().password}\n`,
      "secrets/static": stage().staticToken,
      "clouds.yaml": cloudsYaml(stage()),
    };
    const folder = projectOf(stage(), files, (stack) => {
      const serviceUser = { name: "deployer", password: SecretRef.file("secrets/password") };
      const byFile = identityIn(stack, stage(), { serviceUser });
      const byCloud = IdentityService.fromCloud(stack, "cloud", "prod");
      new ServiceUserToken(stack, "file", { identity: byFile, scope: TokenScope.account() });
      new ServiceUserToken(stack, "by-cloud", { identity: byCloud, scope: TokenScope.account() });
      new StaticTokenRef(stack, "dns", { source: SecretRef.file("secrets/static") });
    });
    await stage().succeed(folder, ["init"], {});
    await stage().succeed(folder, ["plan"], {});
    const provider = createIamProvider({
      processContext: { variables: {}, workingFolder: "/", attached: true },
    });
    const server = await serveAttached(provider);
    try {
      const env = { TF_REATTACH_PROVIDERS: JSON.stringify({ [PROVIDER_SOURCE]: server.reattach }) };
      await stage().succeed(folder, ["plan"], env);
    } finally {
      await server.close();
      await provider.close();
    }
    expect(stage().identity.journal.every(({ status }) => status === 201)).toBe(true);
  });
});
