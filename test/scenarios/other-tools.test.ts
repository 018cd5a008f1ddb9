import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DataResource } from "cdktf";
import { ServiceUserToken, TokenResolution, TokenScope } from "../../lib";
import { terraformBinary } from "../support/terraform";
import { iamTokens } from "./run-support";
import { type Scenario, scenarios } from "./scenario";
import { identityIn, StackOf } from "./stacks";

/** The folder of a stack with a token for a provisioner, and a rotating one. */
const folderOf = (stage: Scenario) =>
  stage
    .synth((app) => {
      new StackOf(app, "main", (stack) => {
        const identity = identityIn(stack, stage);
        const scope = TokenScope.project("web");
        const { value } = new ServiceUserToken(stack, "web", { identity, scope });
        new ServiceUserToken(stack, "ci", {
          identity,
          scope,
          resolution: TokenResolution.ROTATING,
        });
        new DataResource(stack, "call", {
          provisioners: [
            { type: "local-exec", command: 'test -n "$T"', environment: { T: value } },
          ],
        });
      });
    })
    .stackFolder("main");

scenarios("docs/other-tools.md", (stage) => {
  const underRun = async (cwd: string, ...args: string[]) => {
    const { scratch, secrets: env } = stage();
    return iamTokens(["run", terraformBinary(), ...args], { scratch, cwd, env });
  };

  test("a plan that was saved under run is applied under run, and without it after init", async () => {
    const folder = folderOf(stage());
    for (const args of [["init"], ["plan", "-out=p"]])
      expect(await underRun(folder, ...args)).toMatchObject({ exitCode: 0 });
    const { text } = await stage().terraform(folder, ["apply", "p"]);
    expect(text).toContain("there is no package for npm.invalid/cdktf-iam-tokens/iam");
    await stage().succeed(folder, ["init"]);
    await stage().succeed(folder, ["apply", "p"]);
    for (const args of [
      ["plan", "-replace=terraform_data.call", "-out=p"],
      ["apply", "p"],
    ])
      expect(await underRun(folder, ...args)).toMatchObject({ exitCode: 0 });
  });

  test("a rotation that is due is drift for plan, and refresh-only shows none", async () => {
    const folder = folderOf(stage());
    await stage().succeed(folder, ["init"]);
    await stage().succeed(folder, ["apply", "-auto-approve"]);
    const plan = async (...more: string[]) =>
      stage().terraform(folder, ["plan", "-detailed-exitcode", ...more]);
    expect(await plan()).toMatchObject({ exitCode: 0 });
    // What Terraform 1.11.4 says and how it exits are two things; the page says so.
    expect(await plan("-refresh-only")).toMatchObject({
      exitCode: 2,
      text: expect.stringContaining("No changes."),
    });
    const file = join(folder, "cdk.tf.json");
    const json = JSON.parse(readFileSync(file, "utf8"));
    json.resource.iam_token.ci.rotate_when_remaining = "23h59m59s";
    writeFileSync(file, JSON.stringify(json));
    expect(await plan()).toMatchObject({ exitCode: 2 });
    expect((await plan("-refresh-only")).text).toContain("No changes.");
  });

  test("Terraform cannot mock an ephemeral token", async () => {
    const folder = folderOf(stage());
    mkdirSync(join(folder, "tests"));
    const test = 'mock_provider "iam" {\n  alias = "identity"\n}\n\nrun "it" {\n}\n';
    writeFileSync(join(folder, "tests/it.tftest.hcl"), test);
    await stage().succeed(folder, ["init"]);
    const { text } = await stage().terraform(folder, ["test", "-no-color"]);
    expect(text).toContain("No ephemeral resource types in mock providers");
  });
});
