import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EmbeddedProvider } from "../../lib";
import { type Scenario, scenarios } from "./scenario";
import { StackOf } from "./stacks";

/** A module in plain HCL, in a folder with the provider that a synthesis has laid out. */
function moduleOf(stage: Scenario, hcl: string): string {
  const app = stage.synth((root) => {
    new StackOf(root, "main", (stack) => void EmbeddedProvider.of(stack));
  });
  const folder = app.stackFolder("main");
  const required =
    'terraform {\n  required_providers {\n    iam = { source = "npm.invalid/cdktf-iam-tokens/iam" }\n  }\n}\n';
  const module = join(folder, "module");
  mkdirSync(module);
  writeFileSync(join(module, "main.tf"), required + hcl);
  symlinkSync("../terraform.d", join(module, "terraform.d"));
  return module;
}

const words = (text: string) => text.replace(/[│╷╵\s]+/g, " ");

scenarios("plain HCL", (stage) => {
  const everything = (more = "") => `
provider "iam" {
  auth_url     = "${stage().identity.authUrl}"
  account_id   = "123456"
  user_name    = "deployer"
  password_env = "SERVICE_USER_PASSWORD"
  ${more}
}
`;

  async function plan(
    hcl: string,
    env: Readonly<Record<string, string>> = stage().secrets,
  ): Promise<string> {
    const folder = moduleOf(stage(), hcl);
    await stage().succeed(folder, ["init"], {});
    return words((await stage().terraform(folder, ["plan", "-no-color"], env)).text);
  }

  test("takes its credentials from the environment if the block gives none", async () => {
    const text = await plan(
      `data "iam_token" "web" {\n  scope = "project"\n}\noutput "kind" {\n  value = data.iam_token.web.kind\n}\noutput "headers" {\n  value = data.iam_token.web.headers\n  sensitive = true\n}\n`,
      {
        OS_AUTH_URL: `${stage().identity.authUrl}/identity/v3`,
        OS_USERNAME: "deployer",
        OS_PASSWORD: stage().password,
        OS_USER_DOMAIN_NAME: "123456",
        OS_PROJECT_DOMAIN_NAME: "123456",
        OS_PROJECT_NAME: "web",
      },
    );
    expect(text).toMatch(/\+ kind\s+= "iam_token_project_scoped"/);
    expect(text).toMatch(/\+ headers\s+= \(sensitive value\)/);
    expect(stage().requests()).toBe(1);
  });

  test("is refused when a block's address would get the environment's password, naming both and the remedy", async () => {
    const hcl = `provider "iam" {\n  auth_url   = "${stage().identity.authUrl}"\n  account_id = "123456"\n  user_name  = "deployer"\n}\ndata "iam_token" "a" {\n  scope = "account"\n}\n`;
    const text = await plan(hcl, { OS_PASSWORD: stage().password });
    expect(text).toContain("ERR_CREDENTIALS_MIXED");
    expect(text).toContain("auth_url");
    expect(text).toContain("OS_PASSWORD");
    expect(text).toContain('password_env = "OS_PASSWORD"');
    expect(stage().requests()).toBe(0);
  });

  test("with nothing configured is fine until a token is requested", async () => {
    const folder = moduleOf(
      stage(),
      'provider "iam" {}\nephemeral "iam_static_token" "dns" {\n  env = "STATIC_TOKEN"\n}\n',
    );
    await stage().succeed(folder, ["init"], {});
    await stage().succeed(folder, ["apply", "-auto-approve"]);
    expect(
      await plan('provider "iam" {}\nephemeral "iam_token" "a" {\n  scope = "account"\n}\n', {}),
    ).toContain("ERR_CREDENTIALS_MISSING");
  });

  test("refuses a cloud of the provider next to other credentials", async () => {
    const text = await plan(
      `${everything('cloud = "prod"')}ephemeral "iam_token" "a" {\n  scope = "account"\n}\n`,
    );
    expect(text).toContain("ERR_CREDENTIALS_MIXED");
    expect(text).toMatch(/on main\.tf line \d+, in provider "iam": \d+: cloud/);
  });

  test("refuses a destination that does not fall under the base address, on its line and with no request", async () => {
    const base = everything('base_url = "https://api.example.com/v1"');
    const text = await plan(
      `${base}ephemeral "iam_token" "a" {\n  scope        = "account"\n  destinations = ["https://api.example.com/v10"]\n}\n`,
    );
    expect(text).toContain("ERR_DESTINATION_REFUSED");
    expect(stage().requests()).toBe(0);
    expect(text).toMatch(/in ephemeral "iam_token" "a": \d+: destinations/);
  });

  test("gets Terraform's usual errors for an unknown attribute and a wrong type", async () => {
    const unknown = await plan(
      `${everything()}ephemeral "iam_token" "a" {\n  scope  = "account"\n  region = "x"\n}\n`,
    );
    expect(unknown).toMatch(
      /Unsupported argument .* An argument named "region" is not expected here/,
    );
    const wrong = await plan(
      `${everything()}ephemeral "iam_token" "a" {\n  scope = ["account"]\n}\n`,
    );
    expect(wrong).toMatch(
      /Incorrect attribute value type .* Inappropriate value for attribute "scope"/,
    );
    const missing = await plan(`${everything()}ephemeral "iam_token" "a" {}\n`);
    expect(missing).toMatch(/Missing required argument .* The argument "scope" is required/);
  });

  test.each([
    ['scope = "all"', "ERR_SCOPE_INVALID"],
    ['scope = "project"', "ERR_SCOPE_INVALID"],
    ['scope = "account"\n  project_name = "web"', "ERR_SCOPE_INVALID"],
    ['scope = "project"\n  project_name = " web"', "ERR_NAME_INVALID"],
    ['scope = "account"\n  min_remaining = "soon"', "ERR_DURATION_INVALID"],
  ])("refuses %j by validate, with its place", async (body, code) => {
    const folder = moduleOf(stage(), `${everything()}ephemeral "iam_token" "a" {\n  ${body}\n}\n`);
    await stage().succeed(folder, ["init"], {});
    const text = words((await stage().terraform(folder, ["validate", "-no-color"], {})).text);
    // A project may still come from the environment: that is known when the token is opened.
    if (body === 'scope = "project"') {
      expect(words((await stage().terraform(folder, ["plan", "-no-color"])).text)).toContain(code);
    } else {
      expect(text).toContain(code);
      expect(text).toMatch(/on main\.tf line \d+/);
    }
  });

  test("prints no line with a secret, even if a block is on one line", async () => {
    const folder = moduleOf(
      stage(),
      'provider "iam" { password = "canary-literal\\u0000" }\nephemeral "iam_static_token" "a" { value = "canary-literal " }\n',
    );
    await stage().succeed(folder, ["init"], {});
    const text = words((await stage().terraform(folder, ["validate", "-no-color"], {})).text);
    expect(text).toContain("ERR_SECRET_NOT_UTF8");
    writeFileSync(
      join(folder, "main.tf"),
      readFileSync(join(folder, "main.tf"), "utf8").replace(/^provider .*$/m, ""),
    );
    const refused = words((await stage().terraform(folder, ["validate", "-no-color"], {})).text);
    expect(refused).toContain("ERR_SECRET_UNUSABLE");
    expect(refused).toContain("ephemeral.iam_static_token.a");
    expect(text + refused).not.toContain("canary-literal");
  });

  test("warns of a static token by data", async () => {
    const text = await plan('data "iam_static_token" "dns" {\n  env = "STATIC_TOKEN"\n}\n');
    expect(text).toMatch(/Warning: .*state/);
    expect(text).not.toContain(stage().staticToken);
  });

  test.each([
    ["http://cloud.api.example.com"],
    ["https://user:canary@cloud.api.example.com"],
    ["https://cloud.api.example.com/?x=1"],
  ])("refuses the address %s", async (address) => {
    const text = await plan(
      `provider "iam" {\n  auth_url = "${address}"\n  account_id = "123456"\n  user_name = "deployer"\n  password_env = "SERVICE_USER_PASSWORD"\n}\ndata "iam_token" "a" {\n  scope = "account"\n}\n`,
    );
    expect(text).toContain("ERR_ADDRESS_INVALID");
  });
});
