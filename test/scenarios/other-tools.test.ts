import { DataResource } from "cdktf";
import { blocksOf } from "../support/pages";
import { terraformBinary } from "../support/terraform";
import { identityIn, localExec, providerBlock, type Scenario, scenarios, webToken } from "./world";

/** The folder of a stack with a token for a provisioner. */
const folderOf = (stage: Scenario) =>
  stage.stack((stack) => {
    const identity = identityIn(stack, stage);
    const { value } = webToken(stack, stage, { identity });
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
});
