import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { TerraformOutput, type TerraformStack } from "cdktf";
import { IdentityService, SecretRef, ServiceUserToken, TokenScope } from "../../lib";
import { scanForLeaks } from "../../lib/testing";
import type { CommandResult, RunningCommand } from "../support/command";
import { markedProcesses } from "../support/processes";
import { startTerraform } from "../support/terraform";
import { ProductCall, ProductProvider } from "./product/constructs";
import { ACCOUNT, REQUESTS_OF_APPLY, type Scenario, scenarios } from "./scenario";
import { identityIn, mainStack, StackOf } from "./stacks";

const AUDIENCE = "https://cloud.example";
const CONFIG = {
  identityProviders: [
    { id: "github", audience: AUDIENCE, permission: { account: true, projects: ["web", "shop"] } },
  ],
};
const SCOPES = [TokenScope.account(), TokenScope.project("web"), TokenScope.project("shop")];

const words = (text: string) => text.replace(/[│╷╵\s]+/g, " ");

/** The identity service of a job of GitHub Actions. */
const federated = (stack: TerraformStack, { identity }: Scenario, id = "github") =>
  new IdentityService(stack, id, {
    authUrl: identity.authUrl,
    accountId: ACCOUNT,
    federation: {
      identityProvider: "github",
      protocol: "openid",
      token: SecretRef.githubActions(AUDIENCE),
    },
  });

/** The environment of such a job, in which nobody has set a secret. */
const jobOf = ({ identity }: Scenario, options: { readonly expiresIn?: number } = {}) => ({
  ...identity.githubActions({ sub: "repo:example/shop", ...options }),
  GITHUB_ACTIONS: "true",
});

/** What only signs in: it may be nowhere, not even in a state. */
const signIns = ({ identity, password }: Scenario): Record<string, string> =>
  Object.fromEntries([
    ["password", password],
    ...identity.oidcTokens().map((token, index) => [`identity token ${index}`, token]),
    ...unscoped(identity).map((token, index) => [`unscoped token ${index}`, token]),
  ]);

const unscoped = (identity: Scenario["identity"]): readonly string[] =>
  identity.issuedTokens().filter((token) => {
    const description = identity.describeToken(token);
    return description.status !== "unknown" && description.kind === null;
  });

const leaksIn = (
  { scratch }: Scenario,
  folder: string,
  canaries: Record<string, string>,
  texts: Record<string, string>,
) => scanForLeaks({ canaries, folders: [folder, scratch.tmp, scratch.home], texts }).findings;

scenarios(
  "signing in without a password",
  (stage) => {
    test("a job of GitHub Actions with no secret: a hundred references to three scopes are four requests, a token is used, and nothing of it is left", async () => {
      const { api, identity, synth } = stage();
      const app = synth((root) => {
        const home = new StackOf(root, "home", () => {});
        const web = new ServiceUserToken(home, "web", {
          identity: federated(home, stage()),
          scope: TokenScope.project("web"),
        });
        new StackOf(root, "job", (stack) => {
          const github = federated(stack, stage());
          for (let n = 0; n < 99; n += 1)
            new ServiceUserToken(stack, `token-${n}`, {
              identity: github,
              scope: SCOPES[n % 3] ?? TokenScope.account(),
            });
          const headers = web.reopenIn(stack).headers;
          const provider = new ProductProvider(stack, "api", { url: api.url, headers });
          const call = new ProductCall(stack, "call", "/projects/web", provider);
          new TerraformOutput(stack, "status", { value: call.status });
        });
      });
      const folder = app.stackFolder("job");
      const job = jobOf(stage());
      await stage().succeed(folder, ["init"], {});
      stage().requests();
      const applied = await stage().succeed(folder, ["apply", "-auto-approve"], job);
      expect(stage().requests()).toBe(4 * REQUESTS_OF_APPLY);
      expect(identity.oidcTokens()).toHaveLength(REQUESTS_OF_APPLY);
      expect(applied.text).toMatch(/status = 200/);
      const traced = await stage().succeed(folder, ["plan", "-out=saved"], {
        ...job,
        TF_LOG: "TRACE",
      });
      stage().requests();

      const late = await stage().terraform(
        folder,
        ["plan", "-no-color"],
        jobOf(stage(), { expiresIn: -420 }),
      );
      expect(late.exitCode).toBe(1);
      expect(stage().requests()).toBe(1);
      expect(words(late.text)).toMatch(
        /The service answered 401 to the identity token \[ERR_CREDENTIALS_REJECTED\].*aud "https:\/\/cloud\.example", sub "repo:example\/shop", expired 7 min ago/,
      );

      expect(unscoped(identity)).not.toEqual([]);
      const canaries = {
        ...signIns(stage()),
        ...Object.fromEntries(identity.issuedTokens().entries()),
        bearer: job.ACTIONS_ID_TOKEN_REQUEST_TOKEN,
      };
      const texts = { apply: applied.text, plan: traced.text, late: late.text };
      expect(leaksIn(stage(), folder, canaries, texts)).toEqual([]);
    });
  },
  { config: CONFIG, consumers: true },
);

const HANGS = `const { spawn } = require("node:child_process");
spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]).on("spawn", () =>
  require("node:fs").writeFileSync(__filename + ".runs", ""));
setInterval(() => {}, 1000);`;

scenarios("Ctrl-C while a secret's command hangs, with a child", (stage) => {
  /** The folder of a stack with such a command. */
  function stackThatHangs(): string {
    const program = join(stage().scratch.folder, "hangs.cjs");
    writeFileSync(program, HANGS);
    return mainStack(stage(), (stack) => {
      const password = SecretRef.command([process.execPath, program]);
      const serviceUser = { name: "deployer", password };
      const identity = identityIn(stack, stage(), { serviceUser });
      new ServiceUserToken(stack, "web", { identity, scope: TokenScope.project("web") });
    });
  }

  /** After each, the test looks for processes that are left: those of the command have its mark. */
  async function interrupted(running: RunningCommand): Promise<CommandResult> {
    let isOver = false;
    void running.finished.finally(() => {
      isOver = true;
    });
    const hangs = join(stage().scratch.folder, "hangs.cjs.runs");
    while (!isOver && !existsSync(hangs)) await wait(20);
    if (isOver) throw new Error(running.text());
    expect(markedProcesses(stage().scratch.marker).length).toBeGreaterThanOrEqual(3);
    running.signalGroup("SIGINT");
    const started = performance.now();
    const ended = await running.finished;
    // Not after the command's 30 s.
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(stage().requests()).toBe(0);
    return ended;
  }

  test("ends a plan, the command and its child", async () => {
    const folder = stackThatHangs();
    await stage().succeed(folder, ["init"], {});
    const running = startTerraform(folder, ["plan", "-no-color"], { scratch: stage().scratch });
    const { exitCode } = await interrupted(running);
    expect(exitCode).toBe(1);
  });
});
