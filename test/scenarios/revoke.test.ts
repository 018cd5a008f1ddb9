import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ServiceUserToken, TokenOutputs, TokenResolution, TokenScope } from "../../lib";
import { startCommand } from "../support/command";
import { testIf } from "../support/skips";
import { terraformBinary, terraformEnvironment } from "../support/terraform";
import { IAM_TOKENS } from "./run-support";
import { scenarios } from "./scenario";
import { identityIn, StackOf } from "./stacks";

const hasUnzip = spawnSync("unzip", ["-v"]).status === 0;

scenarios("iam-tokens revoke", (stage) => {
  /** A stack with a token of each way that is stored. */
  const applied = async (): Promise<string> => {
    const app = stage().synth((root) => {
      new StackOf(root, "main", (stack) => {
        const identity = identityIn(stack, stage());
        for (const resolution of [TokenResolution.ROTATING, TokenResolution.DATA]) {
          const scope = TokenScope.account();
          const token = new ServiceUserToken(stack, resolution, { identity, scope, resolution });
          new TokenOutputs(stack, `of-${resolution}`, { token });
        }
      });
    });
    const folder = app.stackFolder("main");
    await stage().succeed(folder, ["init"], {});
    await stage().succeed(folder, ["apply", "-auto-approve"]);
    return folder;
  };
  const valid = () =>
    stage()
      .identity.issuedTokens()
      .filter((token) => stage().identity.isValid(token));
  /** A line of a shell, in which `revoke` is `iam-tokens revoke`. */
  const shell = (folder: string, line: string) => {
    const { scratch } = stage();
    const commands = `revoke() { '${process.execPath}' '${IAM_TOKENS}' revoke "$@"; }\nterraform() { command '${terraformBinary()}' "$@"; }\n`;
    const env = terraformEnvironment(scratch);
    return startCommand("sh", ["-c", `${commands}${line}`], { cwd: folder, env }).finished;
  };

  test("finds what a destroy has left in the backup; the second time there is nothing to do", async () => {
    const folder = await applied();
    const destroyed = await stage().succeed(folder, ["destroy", "-auto-approve", "-no-color"]);
    expect(destroyed.text.replace(/[│\s]+/g, " ")).toMatch(
      "run iam-tokens revoke --state FILE. FILE still holds it: the backup of the state",
    );
    expect(existsSync(join(folder, "terraform.tfstate.backup"))).toBe(true);
    const left = valid().length;
    const line = "revoke --state terraform.tfstate.backup";
    const first = await shell(folder, line);
    expect(first).toMatchObject({ exitCode: 0, stderr: "" });
    expect(first.stdout).toMatch(/revoked .* iam_token\.rotating, output\.of-rotating_value\n/);
    expect(first.stdout).toMatch(/revoked .* data\.iam_token\.data, output\.of-data_value\n/);
    // The destroy itself has requested a token for the data source, which no state has kept.
    expect(valid()).toHaveLength(left - 2);
    const second = await shell(folder, line);
    expect(second).toMatchObject({ exitCode: 0 });
    expect(second.stdout).toMatch("Nothing to do: no token is valid any more.");
  });

  test("reads what terraform state pull prints", async () => {
    const folder = await applied();
    const { exitCode, stdout } = await shell(folder, "terraform state pull | revoke");
    expect({ exitCode, left: valid() }).toEqual({ exitCode: 0, left: [] });
    expect(stdout).toMatch("Revoked: 2 of 2.");
  });

  testIf(hasUnzip, "there is no unzip")("reads the state in a saved plan", async () => {
    const folder = await applied();
    await stage().succeed(folder, ["plan", "-out=saved"]);
    const line = "revoke --state saved; unzip -p saved tfstate | revoke";
    const { exitCode, stdout, stderr } = await shell(folder, line);
    expect(stderr).toMatch(/saved plan is\..*unzip -p FILE tfstate \|.*ERR_STATE_INVALID/);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch("Revoked: 2 of 2.");
    // The data source's token of the apply is in the former state only.
    expect(valid().length).toBeLessThanOrEqual(1);
  });
});
