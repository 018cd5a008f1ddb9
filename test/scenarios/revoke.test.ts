import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ServiceUserToken, TokenOutputs, TokenResolution, TokenScope } from "../../lib";
import { startCommand } from "../support/command";
import { blocksOf } from "../support/pages";
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
  /** A script as a page has it, with the command that was built here, and this service. */
  const shell = (folder: string, script: string) => {
    const { scratch, identity } = stage();
    const npx = `npx() { shift; '${process.execPath}' '${IAM_TOKENS}' "$@"; }`;
    const terraform = `terraform() { command '${terraformBinary()}' "$@"; }`;
    const lines = `${npx}\n${terraform}\n${script.replaceAll("https://cloud.api.example.com", identity.authUrl)}`;
    const env = terraformEnvironment(scratch);
    return startCommand("bash", ["-ec", lines], { cwd: folder, env }).finished;
  };

  test("finds what a destroy has left in the backup; the second time there is nothing to do", async () => {
    const folder = await applied();
    const destroyed = await stage().succeed(folder, ["destroy", "-auto-approve", "-no-color"]);
    expect(destroyed.text.replace(/[│\s]+/g, " ")).toMatch(
      "run iam-tokens revoke --state FILE. FILE still holds it: the backup of the state",
    );
    expect(existsSync(join(folder, "terraform.tfstate.backup"))).toBe(true);
    const left = valid().length;
    const line = "npx cdktf-iam-tokens revoke --state terraform.tfstate.backup";
    const first = await shell(folder, line);
    expect(first).toMatchObject({ exitCode: 0, stderr: "" });
    expect(first.stdout).toMatch(
      /revoked .* iam_token\.rotating, output\.of-rotating_value {2}http/,
    );
    expect(first.stdout).toMatch(/revoked .* data\.iam_token\.data, output\.of-data_value {2}http/);
    // The destroy itself has requested a token for the data source, which no state has kept.
    expect(valid()).toHaveLength(left - 2);
    const second = await shell(folder, line);
    expect(second).toMatchObject({ exitCode: 0 });
    expect(second.stdout).toMatch("Nothing to do: no token is valid any more.");
  });

  describe("as docs/leaked.md says", () => {
    const [files = "", alone = "", search = ""] = blocksOf("docs/leaked.md", "sh").map(
      ({ text }) => text,
    );

    testIf(hasUnzip, "there is no unzip")(
      "ends all tokens in a state, a backup and a saved plan",
      async () => {
        const folder = await applied();
        // The token of the data source is another one at each plan.
        await stage().succeed(folder, ["apply", "-auto-approve"]);
        await stage().succeed(folder, ["plan", "-out=saved.tfplan"]);
        expect(valid().length).toBeGreaterThanOrEqual(4);
        const { exitCode, stdout, stderr } = await shell(folder, files);
        expect({ exitCode, stderr, left: valid() }).toEqual({ exitCode: 0, stderr: "", left: [] });
        expect(stdout.match(/^Revoked: /gm)).toHaveLength(3);
      },
    );

    test("ends a token itself, and finds its copies", async () => {
      const folder = await applied();
      const [token = ""] = valid();
      const script = `${alone}${search}`;
      const { exitCode, stdout } = await shell(folder, `exec <<< '${token}'\n${script}`);
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/^revoked .*\n.*1 of 1\.\n.*terraform\.tfstate\n/);
      expect(stdout).not.toContain(token);
      expect(valid()).toHaveLength(1);
    });
  });
});
