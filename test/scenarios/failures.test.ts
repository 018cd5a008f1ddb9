import { DataResource } from "cdktf";
import { SecretRef, ServiceUserToken, TokenScope } from "../../lib";
import { startTerraform } from "../support/terraform";
import { REQUESTS_OF_APPLY, type Scenario, scenarios } from "./scenario";
import { identityIn, initialized, localExec, StackOf, webToken } from "./stacks";

async function tokensIn(
  stage: Scenario,
  count: number,
  props: Parameters<typeof identityIn>[2] = {},
): Promise<string> {
  return initialized(stage, (stack) => {
    const identity = identityIn(stack, stage, props);
    for (let n = 0; n < count; n += 1) webToken(stack, stage, { id: `web-${n}`, identity });
  });
}

/** What a command that fails prints, and the same in one line. */
async function failure(
  stage: Scenario,
  folder: string,
  env?: Readonly<Record<string, string>>,
  args: readonly string[] = ["plan"],
) {
  const { exitCode, text } = await stage.terraform(folder, [...args, "-no-color"], env);
  expect(exitCode).toBe(1);
  return { text, words: text.replace(/[│\s]+/g, " ") };
}

const WRONG = { SERVICE_USER_PASSWORD: "canary-wrong" };

scenarios("a plan fails, with one clear error", (stage) => {
  test("for a wrong password: a hundred tokens are one request, and every candidate is named", async () => {
    const folder = await tokensIn(stage(), 100);
    const { text, words } = await failure(stage(), folder, WRONG);
    expect(stage().requests()).toBe(1);
    const request = stage().identity.journal.find(({ status }) => status === 401);
    expect(words).toContain("ERR_CREDENTIALS_REJECTED");
    expect(words).toContain(String(request?.requestId));
    for (const candidate of [
      "service user",
      "password",
      "account number",
      "project",
      "access area",
      "control panel",
    ]) {
      expect(words.toLowerCase()).toContain(candidate);
    }
    expect(text).not.toContain("canary-wrong");
    // The list is printed once, however many tokens there are.
    expect(words.match(/Possible causes:/g)).toHaveLength(1);
    expect(words.match(/Error: /g)).toHaveLength(100);
  });

  test("for a password's variable that is not set: one error explains it in the program's words", async () => {
    const password = SecretRef.env("DEPLOY_USER_PASSWORD");
    const folder = await tokensIn(stage(), 20, { serviceUser: { name: "deployer", password } });
    const { words } = await failure(stage(), folder);
    const fact =
      "The environment variable DEPLOY_USER_PASSWORD (serviceUser.password of main/identity) is not set.";
    expect(words.split(fact)).toHaveLength(21);
    expect(words.match(/Another error of this run explains it\./g)).toHaveLength(19);
    expect(words).not.toMatch(/cdk\.tf\.json|password_env/);
  });

  test("a destroy for a wrong password, with a way to destroy without it, which works", async () => {
    const folder = await initialized(stage(), (stack) => {
      const identity = identityIn(stack, stage());
      const scope = TokenScope.account();
      const token = new ServiceUserToken(stack, "token", { identity, scope });
      new DataResource(stack, "call", localExec("true", { TOKEN: token.value }));
    });
    await stage().succeed(folder, ["apply", "-auto-approve"]);
    const { words } = await failure(stage(), folder, WRONG, ["destroy", "-auto-approve"]);
    expect(words).toContain(
      "To destroy resources that need no token: terraform destroy -refresh=false.",
    );
    stage().requests();
    const args = ["destroy", "-auto-approve", "-refresh=false"];
    expect((await stage().succeed(folder, args, WRONG)).stdout).toContain("1 destroyed");
    expect(stage().requests()).toBe(0);
  });

  test("for an address that the pipeline does not allow, before any secret is read", async () => {
    const folder = await tokensIn(stage(), 1, {
      serviceUser: { name: "deployer", password: SecretRef.file("/nowhere/at/all") },
    });
    const { text } = await failure(stage(), folder, {
      IAM_TOKENS_ALLOWED_AUTH_URLS: "https://cloud.api.example.com",
    });
    expect(text).toContain("ERR_ADDRESS_NOT_ALLOWED");
    expect(text).not.toContain("ERR_SECRET_MISSING");
    expect(stage().requests()).toBe(0);
  });
});

scenarios(
  "Ctrl-C while a token is being issued",
  (stage) => {
    test("ends the plan at once, and leaves no process and no lock", async () => {
      const folder = await tokensIn(stage(), 3);
      const running = startTerraform(folder, ["apply", "-auto-approve", "-no-color"], {
        scratch: stage().scratch,
        env: stage().secrets,
      });
      await running.printed(/web-0: Opening/);
      running.signalGroup("SIGINT");
      const ended = await running.finished;
      expect(ended.exitCode).toBe(1);
      // After ten seconds for each try, or with the answer after a minute.
      expect(ended.text).not.toMatch(/ERR_NO_ANSWER|Opening complete/);
      // Terraform's own word is missing if the provider's end of the waits comes first.
      expect(ended.text).toMatch(/interrupt|was cancelled before it ended/i);
      const again = await stage().terraform(folder, ["state", "list"]);
      expect(again.text).not.toMatch(/lock/i);
    });

    test("and a killed Terraform leaves no process either", async () => {
      const folder = await tokensIn(stage(), 1);
      const running = startTerraform(folder, ["plan", "-no-color"], {
        scratch: stage().scratch,
        env: stage().secrets,
      });
      await running.printed(/web-0: Opening/);
      running.signalAlone("SIGKILL");
      // After each scenario, the test looks for leftovers.
      await running.finished;
    });
  },
  { config: { latencyMs: 60_000 } },
);

scenarios("concurrent stacks", (stage) => {
  test("are planned at the same time, each with its own provider", async () => {
    const app = stage().synth((root) => {
      for (const id of ["one", "two", "three"]) {
        new StackOf(root, id, (stack) => {
          webToken(stack, stage());
        });
      }
    });
    const folders = ["one", "two", "three"].map((id) => app.stackFolder(id));
    await Promise.all(folders.map((folder) => stage().succeed(folder, ["init"])));
    await Promise.all(folders.map((folder) => stage().succeed(folder, ["apply", "-auto-approve"])));
    expect(stage().requests()).toBe(3 * REQUESTS_OF_APPLY);
  });
});
