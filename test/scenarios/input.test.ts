import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EmbeddedProvider } from "../../lib";
import { type Scenario, scenarios } from "./scenario";
import { StackOf } from "./stacks";

/** A folder with a module in plain HCL, and the provider. */
async function initialized(stage: Scenario, hcl: string): Promise<string> {
  const app = stage.synth((root) => {
    new StackOf(root, "main", (stack) => void EmbeddedProvider.of(stack));
  });
  const folder = join(app.stackFolder("main"), "module");
  mkdirSync(folder);
  symlinkSync("../terraform.d", join(folder, "terraform.d"));
  const required =
    'terraform {\n  required_providers {\n    iam = { source = "npm.invalid/cdktf-iam-tokens/iam" }\n  }\n}\n';
  writeFileSync(join(folder, "main.tf"), `${required}variable "given" {}\n${hcl}`);
  await stage.succeed(folder, ["init"], {});
  return folder;
}

/** What a plan prints with a value of the variable `given`, and its seconds. */
async function plan(stage: Scenario, folder: string, given: string, env = stage.secrets) {
  writeFileSync(join(folder, "x.auto.tfvars.json"), JSON.stringify({ given }));
  const start = performance.now();
  const { exitCode, text } = await stage.terraform(folder, ["plan", "-no-color"], env);
  return { exitCode, text, seconds: (performance.now() - start) / 1000 };
}

const TOKEN = 'ephemeral "iam_token" "a" {\n  scope = "account"\n}\n';

scenarios("what a configuration gives", (stage) => {
  test("160,000 slashes in auth_url are refused within two seconds, with the limit", async () => {
    const folder = await initialized(
      stage(),
      `provider "iam" {\n  auth_url = var.given\n  account_id = "1"\n  user_name = "x"\n  password_env = "SERVICE_USER_PASSWORD"\n}\n${TOKEN}`,
    );
    const { exitCode, text, seconds } = await plan(
      stage(),
      folder,
      `https://a.test/${"/".repeat(160_000)}x`,
    );
    expect(exitCode).toBe(1);
    expect(text).toContain("auth_url has 160,016 characters");
    expect(text).toContain("at most 8,192 characters");
    expect(text).toContain("[ERR_TOO_LONG]");
    expect(text.length).toBeLessThan(4_096);
    expect(seconds).toBeLessThan(2);
    expect(stage().requests()).toBe(0);
  });

  test("a value of 5 MB is not in the error, nor in Terraform's lines around it", async () => {
    const folder = await initialized(
      stage(),
      'provider "iam" {}\nresource "iam_rotation" "a" {\n  rotate_every = "1h"\n  keepers = { a = var.given }\n}\n',
    );
    const { exitCode, text } = await plan(stage(), folder, "x".repeat(5_000_000));
    expect(exitCode).toBe(1);
    expect(text).toContain('keepers["a"] has 5,000,000 characters');
    expect(text.length).toBeLessThan(4_096);
  });

  test("a name that is a command for a CI system is at no beginning of a line", async () => {
    const folder = await initialized(
      stage(),
      `provider "iam" {\n  auth_url = "${stage().identity.authUrl}"\n  account_id = "123456"\n  user_name = "deployer"\n  password_env = "SERVICE_USER_PASSWORD"\n}\nephemeral "iam_token" "a" {\n  scope = "project"\n  project_name = var.given\n}\n`,
    );
    // Terraform wraps a line at blanks: with one of these lengths, the command begins a line.
    for (const length of [20, 30, 40, 50]) {
      const name = `${"x".repeat(length)} ::stop-commands::y ##vso[task.x]y`;
      const { exitCode, text } = await plan(stage(), folder, name);
      expect(exitCode).toBe(1);
      expect(text).toContain("\\u003a:stop-commands");
      expect(text).not.toMatch(/^\s*::|##vso/m);
    }
  });

  test("a static token comes from the listed places only", async () => {
    const folder = await initialized(
      stage(),
      'provider "iam" {}\nephemeral "iam_static_token" "a" {\n  env = var.given\n}\n',
    );
    const env = { ...stage().secrets, IAM_TOKENS_ALLOWED_STATIC_SOURCES: "STATIC_*" };
    expect((await plan(stage(), folder, "STATIC_TOKEN", env)).exitCode).toBe(0);
    const { exitCode, text } = await plan(stage(), folder, "SERVICE_USER_PASSWORD", env);
    expect(exitCode).toBe(1);
    expect(text).toContain("ERR_STATIC_SOURCE_NOT_ALLOWED");
  });
});
