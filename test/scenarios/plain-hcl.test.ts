import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { initializedModule, providerBlock } from "./plain-module";
import { scenarios } from "./scenario";

const words = (text: string) => text.replace(/[│╷╵\s]+/g, " ");

scenarios("plain HCL", (stage) => {
  const everything = (more = "") => providerBlock(stage().identity.authUrl, { more });

  async function plan(
    hcl: string,
    env: Readonly<Record<string, string>> = stage().secrets,
  ): Promise<string> {
    const folder = await initializedModule(stage(), hcl);
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
    const folder = await initializedModule(
      stage(),
      'provider "iam" {}\nephemeral "iam_static_token" "dns" {\n  env = "STATIC_TOKEN"\n}\n',
    );
    await stage().succeed(folder, ["apply", "-auto-approve"]);
    expect(
      await plan('provider "iam" {}\nephemeral "iam_token" "a" {\n  scope = "account"\n}\n', {}),
    ).toContain("ERR_CREDENTIALS_MISSING");
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

  test("refuses a wrong argument by validate, with its place", async () => {
    const hcl = `${everything()}ephemeral "iam_token" "a" {\n  scope = "all"\n}\n`;
    const folder = await initializedModule(stage(), hcl);
    const text = words((await stage().terraform(folder, ["validate", "-no-color"], {})).text);
    expect(text).toContain("ERR_SCOPE_INVALID");
    expect(text).toMatch(/on main\.tf line \d+/);
  });

  test("refuses a missing project only when the token is opened: it may come from the environment", async () => {
    const hcl = `${everything()}ephemeral "iam_token" "a" {\n  scope = "project"\n}\n`;
    const folder = await initializedModule(stage(), hcl);
    await stage().succeed(folder, ["validate"], {});
    const { text } = await stage().terraform(folder, ["plan", "-no-color"]);
    expect(text).toContain("ERR_SCOPE_INVALID");
  });

  test("prints no line with a secret, even if a block is on one line", async () => {
    const folder = await initializedModule(
      stage(),
      'provider "iam" { password = "canary-literal\\u0000" }\nephemeral "iam_static_token" "a" { value = "canary-literal " }\n',
    );
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
});
