import { spawnSync } from "node:child_process";
import {
  RotationSchedule,
  TokenOutputs,
  TokenResolution,
  TokenRotation,
  TokenScope,
} from "../../lib";
import { startCommand } from "../support/command";
import { blocksOf } from "../support/pages";
import { testIf } from "../support/skips";
import { terraformBinary, terraformEnvironment } from "../support/terraform";
import { IAM_TOKENS, identityIn, scenarios, webToken } from "./world";

const hasUnzip = spawnSync("unzip", ["-v"]).status === 0;
const APPLY = "apply -auto-approve";

// docs/on-call.md: A token revokes itself
scenarios("iam-tokens revoke", (stage) => {
  /** A stack with a token of each way that is stored. */
  const applied = async (): Promise<string> => {
    const folder = await stage().initialized((stack) => {
      const identity = identityIn(stack, stage());
      const scope = TokenScope.account();
      for (const resolution of [TokenResolution.rotating(), TokenResolution.data()]) {
        const token = webToken(stack, stage(), {
          id: resolution.name,
          identity,
          scope,
          resolution,
        });
        new TokenOutputs(stack, `of-${resolution.name}`, { token });
      }
    });
    await stage().succeed(folder, APPLY);
    return folder;
  };
  const valid = () => {
    const { identity } = stage();
    return identity.issuedTokens().filter((token) => identity.isValid(token));
  };
  /** A script as a page has it, with the command that was built here, and this service. */
  const shell = (cwd: string, script: string) => {
    const { scratch, identity } = stage();
    const npx = `npx() { [ "$1" != --no-install ] || shift; shift; '${process.execPath}' '${IAM_TOKENS}' "$@"; }`;
    const terraform = `terraform() { command '${terraformBinary()}' "$@"; }`;
    const own = script.replaceAll("https://cloud.api.example.com", identity.authUrl);
    const env = {
      ...{ ...terraformEnvironment(scratch), ...stage().secrets },
      ...{ OS_AUTH_URL: identity.authUrl, TF_CLI_ARGS_apply: "-auto-approve" },
    };
    return startCommand("bash", ["-ec", `${npx}\n${terraform}\n${own}`], { cwd, env }).finished;
  };

  test("ends what a destroy has left in the backup", async () => {
    const folder = await applied();
    await stage().succeed(folder, "destroy -auto-approve");
    const left = valid().length;
    const line = "npx --no-install cdktf-iam-tokens revoke --state terraform.tfstate.backup";
    expect(await shell(folder, line)).toMatchObject({ exitCode: 0, stderr: "" });
    // The destroy itself has requested a token for the data source, which no state has kept.
    expect(valid()).toHaveLength(left - 2);
  });

  describe("as docs/on-call.md says", () => {
    const blocks = blocksOf("docs/on-call.md", "sh").map(({ text }) => text);
    const [, files = "", alone = "", byCurl = ""] = blocks;
    const having = (words: string) => blocks.find((text) => text.includes(words)) ?? "";

    testIf(hasUnzip, "there is no unzip")(
      "ends all tokens in a state, a backup and a saved plan",
      async () => {
        const folder = await applied();
        // The token of the data source is another one at each plan.
        await stage().succeed(folder, APPLY);
        await stage().succeed(folder, "plan -out=saved.tfplan");
        expect(valid().length).toBeGreaterThanOrEqual(4);
        const { exitCode, stderr } = await shell(folder, files);
        expect({ exitCode, stderr, left: valid() }).toEqual({ exitCode: 0, stderr: "", left: [] });
      },
    );

    test("ends a token itself, and finds its copies; curl ends another", async () => {
      const folder = await applied();
      const [token = ""] = valid();
      const script = `exec <<< '${token}'\n${alone}${having("grep")}`;
      const { exitCode, stdout } = await shell(folder, script);
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/^revoked .*\n.*1 of 1\.\n.*terraform\.tfstate\n/);
      expect(stdout).not.toContain(token);
      const [other] = valid();
      const answer = await shell(folder, `LEAKED='${other}'\n${byCurl}`);
      expect([answer.stdout, valid()]).toEqual([expect.stringMatching(/^204$/m), []]);
    });

    test("after another password, a deploy without changes leaves refused tokens, and -replace gives new ones", async () => {
      const folder = await stage().initialized((stack) => {
        const scope = TokenScope.account();
        const resolution = TokenResolution.rotating();
        webToken(stack, stage(), { id: "ci", scope, resolution });
        new TokenRotation(stack, "rotation", { schedule: RotationSchedule.every("6h") });
      });
      await stage().succeed(folder, APPLY);
      const { secrets, identity } = stage();
      secrets.SERVICE_USER_PASSWORD = "canary-another";
      identity.user("deployer").changePassword(secrets.SERVICE_USER_PASSWORD);
      expect((await stage().succeed(folder, APPLY)).text).toContain("No changes");
      const ask = having("state pull | npx --no-install cdktf-iam-tokens verify");
      expect((await shell(folder, ask)).stdout).toMatch(/^refused .*\n.*\nAlive: 0 of 1\.\n$/);
      await shell(folder, having("-replace=iam_token.ci -replace=iam_rotation.rotation"));
      expect((await shell(folder, ask)).stdout).toMatch(/^alive .*\nAlive: 1 of 1\.\n$/);
    });
  });
});
