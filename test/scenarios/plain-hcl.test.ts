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

  test("refuses a wrong argument by validate, with its place", async () => {
    const hcl = `${everything()}ephemeral "iam_token" "a" {\n  scope = "all"\n}\n`;
    const folder = await initializedModule(stage(), hcl);
    const text = words((await stage().terraform(folder, ["validate", "-no-color"], {})).text);
    expect(text).toContain("ERR_SCOPE_INVALID");
    expect(text).toMatch(/on main\.tf line \d+/);
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
});
