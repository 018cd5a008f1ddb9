import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findDeclaredToken } from "../../../lib/cli/issue/declared-token";
import { cli } from "../run-cli";

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "declared-"));
  writeFileSync(join(project, "cdktf.json"), '{ "app": "true" }');
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

const token = (path: string, more: object = {}) => ({
  "//": { metadata: { path, uniqueId: "x" } },
  provider: "iam.identity",
  scope: "account",
  ...more,
});
const identity = {
  alias: "identity",
  auth_url: "https://k.example",
  account_id: "123456",
  user_name: "deployer",
  password_file: "${abspath(path.root)}/../../../secrets/password",
  package_version: "0.1.0",
};

function stack(name: string, tokens: Readonly<Record<string, object>>, more: object = {}): string {
  const folder = join(project, "cdktf.out/stacks", name);
  mkdirSync(folder, { recursive: true });
  const json = { provider: { iam: [identity, {}] }, ephemeral: { iam_token: tokens }, ...more };
  writeFileSync(join(folder, "cdk.tf.json"), JSON.stringify(json));
  return folder;
}
const app = () =>
  stack("app", {
    web: token("app/web/Default", { project_name: "${path.root}", min_remaining: "8h" }),
    "network--project_1": token("app/network/project/Default", { scope: "project" }),
    "shop--project_2": token("app/shop/project/Default"),
  });

describe("a declared token", () => {
  test.each([
    ["web", "web"],
    ["app/web", "web"],
    ["network/project", "network--project_1"],
    ["app/network/project", "network--project_1"],
    ["network--project_1", "network--project_1"],
  ])("%j is found by id, by path and by its name in Terraform", async (given, name) => {
    const folder = app();
    const found = await findDeclaredToken({ stack: "app", token: given }, project);
    expect(found.folder).toBe(folder);
    expect(found.token.scope).toBe(name === "web" ? "account" : "project");
    // Relative files are those of the stack's folder.
    expect(found.provider).toMatchObject({
      account_id: "123456",
      password_file: `${folder}/../../../secrets/password`,
    });
  });

  test("has the command that prints its password", async () => {
    const { password_file: _, ...provider } = identity;
    const command = ["${abspath(path.root)}/../bin/secret", "deployer"];
    const block = { ...provider, password_command: command };
    const folder = stack("app", { web: token("app/web/Default") }, { provider: { iam: [block] } });
    expect((await findDeclaredToken({}, project)).provider).toMatchObject({
      password_command: [`${folder}/../bin/secret`, "deployer"],
    });
  });

  test("has only what decides which token is issued, and is the only one without a name", async () => {
    stack("one", { only: token("one/only/Default", { min_remaining: "8h", destinations: ["x"] }) });
    const found = await findDeclaredToken({}, project);
    expect(found.token).toEqual({ scope: "account", min_remaining: "8h" });
  });

  test("may be one of plain HCL, with the default provider block", async () => {
    const folder = join(project, "hcl");
    mkdirSync(folder);
    writeFileSync(
      join(folder, "main.tf"),
      'provider "iam" {\n  cloud = "prod"\n}\nephemeral "iam_token" "web" {\n  scope = "account"\n}\n',
    );
    const found = await findDeclaredToken({ token: "web" }, folder);
    expect(found).toEqual({ folder, provider: { cloud: "prod" }, token: { scope: "account" } });
  });
});

describe("an error names what there is", () => {
  const issue = async (args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await cli(["issue", ...args], {
      workingFolder: project,
    });
    expect(stdout).toBe("");
    return { exitCode, stderr };
  };

  test.each([
    [
      ["--stack", "ap", "--token", "web"],
      '--stack is "ap", which does not exist. Allowed: "app". Did you mean "app"? [ERR_USAGE]\n',
    ],
    [
      ["--stack", "app", "--token", "wbe"],
      '--token is "wbe", which does not exist. Allowed: "web", "network/project", "shop/project". Give one of them. [ERR_USAGE]\n',
    ],
    [["--token", "netwrk/project"], ' Did you mean "network/project"? [ERR_USAGE]\n'],
    [
      ["--token", "project"],
      '--token is "project", which several have. Allowed: "network/project", "shop/project". Give one of them. [ERR_USAGE]\n',
    ],
    [["--stack", "app"], "--token is not given, and there are 3."],
    [["--token", "web", "--scope", "account"], "--scope is given with --token: the declared"],
    [["--stack", "app", "--user", "me"], "--user is given with --stack: the declared"],
    [["--stack", "app", "--password-env", "P"], "--password-env is given with --stack"],
  ])("%j", async (args, said) => {
    app();
    const { exitCode, stderr } = await issue(args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(said);
  });

  test("without a synthesis, and in a stack without an IAM token", async () => {
    expect((await issue(["--token", "web"])).stderr).toMatch(
      /^This folder has no synthesized stack\. Synthesize it first, .*\[ERR_USAGE\]\n$/,
    );
    stack("app", {}, { ephemeral: { iam_static_token: { web: { env: "STATIC" } } } });
    expect((await issue(["--token", "web"])).stderr).toContain(
      'The stack "app" declares no IAM token.',
    );
  });

  test("about an expression that only Terraform knows: in the provider block, and in the token", async () => {
    stack("app", { web: token("app/web/Default", { project_name: "${var.project}" }) });
    expect(await issue(["--token", "web"])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(
        /^project_name of token "web" is an expression: only Terraform knows its value\. .*--auth-url.*\[ERR_RESOLUTION_UNKNOWN\]\n$/,
      ),
    });
    const password = { ...identity, password_file: undefined, password: "${var.canary}" };
    stack("app", { web: token("app/web/Default") }, { provider: { iam: [password] } });
    const { stderr } = await issue(["--token", "web"]);
    expect(stderr).toContain("password of provider iam.identity is an expression");
    expect(stderr).not.toContain("canary");
  });

  test("about a provider block that is missing: no other credentials take its place", async () => {
    stack("app", { web: token("app/web/Default") }, { provider: { iam: [{}] } });
    expect((await issue(["--token", "web"])).stderr).toContain('no provider block "identity"');
  });
});
