import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { initializedModule, providerBlock } from "./plain-module";
import { type Scenario, scenarios } from "./scenario";

/** What a plan prints with a value of the variable `given`, and its seconds. */
async function plan(stage: Scenario, folder: string, given: string) {
  writeFileSync(join(folder, "x.auto.tfvars.json"), JSON.stringify({ given }));
  const start = performance.now();
  const { exitCode, text } = await stage.terraform(folder, ["plan", "-no-color"]);
  return { exitCode, text, seconds: (performance.now() - start) / 1000 };
}

const GIVEN = 'variable "given" {}\n';
const TOKEN = 'ephemeral "iam_token" "a" {\n  scope = "account"\n}\n';

scenarios("what a configuration gives", (stage) => {
  test("160,000 slashes in auth_url are refused within two seconds, with the limit", async () => {
    const folder = await initializedModule(
      stage(),
      `${GIVEN}${providerBlock("${var.given}")}${TOKEN}`,
    );
    const { exitCode, text, seconds } = await plan(
      stage(),
      folder,
      `https://a.test/${"/".repeat(160_000)}x`,
    );
    expect(exitCode).toBe(1);
    expect(text).toContain("A string of auth_url has 160016 characters");
    expect(text).toContain("at most 8192 characters");
    expect(text).toContain("[ERR_TOO_LONG]");
    expect(text.length).toBeLessThan(4_096);
    expect(seconds).toBeLessThan(2);
    expect(stage().requests()).toBe(0);
  });

  test("a value of 5 MB is not in the error, nor in Terraform's lines around it", async () => {
    const folder = await initializedModule(
      stage(),
      `${GIVEN}provider "iam" {}\nresource "iam_rotation" "a" {\n  rotate_every = "1h"\n  keepers = { a = var.given }\n}\n`,
    );
    const { exitCode, text } = await plan(stage(), folder, "x".repeat(5_000_000));
    expect(exitCode).toBe(1);
    expect(text).toContain("A string of keepers has 5000000 characters");
    expect(text.length).toBeLessThan(4_096);
  });

  test("a name that is a command for a CI system is at no beginning of a line", async () => {
    const folder = await initializedModule(
      stage(),
      `${GIVEN}${providerBlock(stage().identity.authUrl)}ephemeral "iam_token" "a" {\n  scope = "project"\n  project_name = var.given\n}\n`,
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
});
