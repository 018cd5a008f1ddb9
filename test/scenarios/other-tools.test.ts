import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DataResource } from "cdktf";
import { TokenResolution } from "../../lib";
import { underOpenTofu } from "../support/open-tofu";
import { blocksOf } from "../support/pages";
import { testIf } from "../support/skips";
import { terraformBinary } from "../support/terraform";
import { identityIn, localExec, providerBlock, type Scenario, scenarios, webToken } from "./world";

/** The folder of a stack with a token for a provisioner, and a rotating one. */
const folderOf = (stage: Scenario) =>
  stage.stack((stack) => {
    const identity = identityIn(stack, stage);
    const { value } = webToken(stack, stage, { identity });
    webToken(stack, stage, { id: "ci", identity, resolution: TokenResolution.rotating() });
    new DataResource(stack, "call", localExec('test -n "$T"', { T: value }));
  });

// docs/other-tools.md: A saved plan contains no ephemeral token
scenarios("pages on other tools", (stage) => {
  test("a token that waits for an unknown value needs no credentials at plan: docs/using-tokens.md", async () => {
    const { module, requests, succeed } = stage();
    const [page] = blocksOf("docs/using-tokens.md", "hcl").filter(({ text }) => /gate/.test(text));
    const folder = module(`${providerBlock(stage())}${page?.text}
resource "terraform_data" "used" {
  provisioner "local-exec" {
    command     = "test -n \\"$T\\""
    environment = { T = ephemeral.iam_token.late.token }
  }
}`);
    await succeed(folder, "init", {});
    await succeed(folder, "plan", {});
    expect(requests()).toBe(0);
    await succeed(folder, "apply -auto-approve");
    expect(requests()).toBe(1);
    expect((await succeed(folder, "plan -no-color", {})).text).toContain("1 to destroy");
    expect(requests()).toBe(0);
  });

  test("run shows a state where init never ran: docs/run.md", async () => {
    const { cli, scratch, succeed } = stage();
    const applied = await stage().initialized((stack) => {
      const resolution = TokenResolution.rotating();
      webToken(stack, stage(), { id: "ci", resolution });
    });
    await succeed(applied, "apply -auto-approve");
    const cwd = join(scratch.folder, "later");
    mkdirSync(cwd);
    copyFileSync(join(applied, "terraform.tfstate"), join(cwd, "terraform.tfstate"));
    expect((await stage().terraform(cwd, "show", {})).exitCode).toBe(1);
    for (const command of ["show", "state show iam_token.ci"]) {
      const words = ["run", "--", terraformBinary(), ...command.split(" ")];
      const { exitCode, text } = await cli(words, { cwd, env: scratch.env });
      expect([exitCode, text]).toEqual([0, expect.stringContaining("fingerprint")]);
    }
  });

  test("a plan that was saved under run is applied under run, and without it after init", async () => {
    const { cli, secrets: env, succeed, terraform } = stage();
    const cwd = folderOf(stage());
    const underRun = async (...commands: readonly string[]) => {
      for (const command of commands)
        expect(
          await cli(["run", terraformBinary(), ...command.split(" ")], { cwd, env }),
        ).toMatchObject({ exitCode: 0 });
    };
    await underRun("init", "plan -out=p");
    expect((await terraform(cwd, "apply p")).exitCode).toBe(1);
    await succeed(cwd, "init");
    await succeed(cwd, "apply p");
    await underRun("plan -replace=terraform_data.call -out=p", "apply p");
  });

  testIf(!underOpenTofu(), "OpenTofu exits with 0")(
    "a rotation that is due is drift for plan, and refresh-only shows none",
    async () => {
      const folder = folderOf(stage());
      await stage().succeed(folder, "init");
      await stage().succeed(folder, "apply -auto-approve");
      const plan = async (more = "") => {
        const { exitCode, text } = await stage().terraform(
          folder,
          `plan -detailed-exitcode${more}`,
        );
        return { exitCode, same: text.includes("No changes.") };
      };
      expect(await plan()).toEqual({ exitCode: 0, same: true });
      // What Terraform 1.11.4 says and how it exits are two things; the page says so.
      expect(await plan(" -refresh-only")).toEqual({ exitCode: 2, same: true });
      const file = join(folder, "cdk.tf.json");
      const json = JSON.parse(readFileSync(file, "utf8"));
      json.resource.iam_token.ci.rotate_when_remaining = "23h59m59s";
      writeFileSync(file, JSON.stringify(json));
      expect(await plan()).toEqual({ exitCode: 2, same: false });
      expect((await plan(" -refresh-only")).same).toBe(true);
    },
  );
});
