import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TerraformOutput, type TerraformStack } from "cdktf";
import { ServiceUserToken, TokenScope } from "../../lib";
import type { JsonSummary } from "../../lib/cli/run/summary";
import { startCommand } from "../support/command";
import { markedProcesses } from "../support/processes";
import { terraformBinary, terraformEnvironment } from "../support/terraform";
import { Gate } from "./gate";
import { ProductCall, ProductProvider } from "./product/constructs";
import { IAM_TOKENS, iamTokens, startIamTokens } from "./run-support";
import { type Scenario, scenarios } from "./scenario";
import { identityIn, StackOf } from "./stacks";

/** A stack whose token authenticates another provider. */
function callingStack(stage: Scenario): (stack: TerraformStack) => void {
  return (stack) => {
    const identity = identityIn(stack, stage);
    const token = new ServiceUserToken(stack, "account", { identity, scope: TokenScope.account() });
    const api = new ProductProvider(stack, "api", { url: stage.api.url, headers: token.headers });
    new TerraformOutput(stack, "status", {
      value: new ProductCall(stack, "call", "/account", api).status,
    });
  };
}

scenarios(
  "iam-tokens run",
  (stage) => {
    const run = async (
      args: readonly string[],
      cwd: string,
      env: Readonly<Record<string, string>> = {},
    ) => {
      const { scratch, secrets } = stage();
      const result = await iamTokens(["run", ...args], {
        scratch,
        cwd,
        env: { ...secrets, ...env },
      });
      if (result.exitCode !== 0)
        throw new Error(`run ${args.join(" ")} ended with ${result.exitCode}:\n${result.text}`);
      return result;
    };

    test("serves init, plan, apply and destroy of a stack from one process: one request, and a summary of it", async () => {
      const app = stage().synth((root) => new StackOf(root, "main", callingStack(stage())));
      const folder = app.stackFolder("main");
      const terraform = terraformBinary();
      const script = `${terraform} init && ${terraform} apply -auto-approve && ${terraform} output -json && ${terraform} destroy -auto-approve`;
      const { stdout, stderr } = await run(
        ["--json", "tokens.json", "--", "sh", "-c", script],
        folder,
      );
      expect(stdout).toMatch(/"value": 200/);
      expect(stage().requests()).toBe(1);
      const [token] = stage().identity.issuedTokens();
      expect(stderr).toMatch(
        /^iam-tokens: uses: \d+, requests: 1, retries: 0, waited \d+ ms\n {2}user name "deployer", account id "123456" at http:\S+: uses: \d+, requests: 1, retries: 0, token [0-9a-f]{12} valid until \d{4}-\d\d-\d\dT[\d:.]+Z\n/m,
      );
      const file = join(folder, "tokens.json");
      const text = readFileSync(file, "utf8");
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const summary = JSON.parse(text) as JsonSummary;
      expect(summary.credentials).toEqual([
        expect.objectContaining({
          auth_url: `${stage().identity.authUrl}/identity/v3`,
          account_id: "123456",
          user_name: "deployer",
          kind: "iam_token_account_scoped",
          scope: "account",
          project_name: null,
          header_name: "X-Auth-Token",
          tokens: 1,
          requests: 1,
          retries: 0,
        }),
      ]);
      for (const secret of [token ?? "none", stage().password]) {
        expect(text).not.toContain(secret);
        expect(stderr).not.toContain(secret);
      }
    });

    (process.platform === "linux" ? test : test.skip)(
      "issues where the address space is limited: WebAssembly reserves none in advance",
      async () => {
        const app = stage().synth((root) => new StackOf(root, "main", callingStack(stage())));
        const terraform = terraformBinary();
        const pipeline = `ulimit -Sv unlimited; ${terraform} init && ${terraform} plan`;
        const run = `ulimit -Sv 3000000; exec "$@"`;
        const { scratch, secrets } = stage();
        const { exitCode } = await startCommand(
          "/bin/sh",
          ["-c", run, "sh", process.execPath, IAM_TOKENS, "run", "--", "sh", "-c", pipeline],
          {
            cwd: app.stackFolder("main"),
            env: { ...terraformEnvironment(scratch), ...secrets },
          },
        ).finished;
        expect(exitCode).toBe(0);
        expect(stage().requests()).toBe(1);
      },
    );

    test("refuses a stack of another version of the package, and says what to do", async () => {
      const app = stage().synth((root) => new StackOf(root, "main", callingStack(stage())));
      const folder = app.stackFolder("main");
      const file = join(folder, "cdk.tf.json");
      writeFileSync(
        file,
        readFileSync(file, "utf8").replace(
          /"package_version": "[^"]*"/,
          '"package_version": "0.0.9"',
        ),
      );
      const { scratch, secrets } = stage();
      const terraform = terraformBinary();
      const command = ["sh", "-c", `${terraform} init && ${terraform} plan -no-color`];
      const result = await iamTokens(["run", "--", ...command], {
        scratch,
        cwd: folder,
        env: secrets,
      });
      expect(result.exitCode).toBe(1);
      expect(result.text.replaceAll(/[\s│╵╷]+/g, " ")).toMatch(
        /synthesized by version "0\.0\.9" of the constructs.*\[ERR_VERSION_MISMATCH\]/,
      );
      expect(stage().requests()).toBe(0);
    });
  },
  { consumers: true },
);

/** After ten seconds for each try, or with the answer after a minute. */
const GIVEN_UP = /ERR_NO_ANSWER|Opening complete/;
/** Terraform's own word is missing if the provider's end of the waits comes first. */
const INTERRUPTED = /Interrupt received|was cancelled/;

scenarios(
  "iam-tokens run in the middle of a plan, while the service is slow",
  (stage) => {
    /** Terraform, while it waits for its token. */
    async function waiting(action = "plan") {
      const { scratch, secrets } = stage();
      const app = stage().synth((root) => new StackOf(root, "main", callingStack(stage())));
      const folder = app.stackFolder("main");
      const terraform = terraformBinary();
      const command = ["sh", "-c", `${terraform} init && exec ${terraform} ${action} -no-color`];
      const running = startIamTokens(["run", "--", ...command], {
        scratch,
        cwd: folder,
        env: secrets,
      });
      await running.printed(/Opening\.\.\./);
      return running;
    }
    const provider = () => {
      const found = markedProcesses(stage().scratch.marker).find(({ command }) =>
        /attached\.js/.test(command),
      );
      if (found === undefined) throw new Error("The provider does not run.");
      return found.pid;
    };

    test("kill -9 of the provider: Terraform ends at once, and the cause is reported", async () => {
      const running = await waiting();
      process.kill(provider(), "SIGKILL");
      const { exitCode, text } = await running.finished;
      expect(exitCode).toBe(1);
      expect(text).not.toMatch(GIVEN_UP);
      expect(text).toMatch(/iam-tokens: The provider ended during the command \(SIGKILL\)\./);
      expect(text).toMatch(/Plugin did not respond|connection|transport/);
    });

    // In the plan of an apply Terraform passes nothing on: the provider ends the wait by itself.
    test.each(["plan", "apply -auto-approve"])(
      "Ctrl-C ends the wait and terraform %s, once",
      async (action) => {
        const running = await waiting(action);
        running.signalGroup("SIGINT");
        const { exitCode, text } = await running.finished;
        expect(exitCode).toBe(1);
        expect(text).not.toMatch(GIVEN_UP);
        expect(text).toMatch(INTERRUPTED);
        expect(text).not.toMatch(/Two interrupts received/);
      },
    );
  },
  { config: { latencyMs: 60_000 }, consumers: true },
);

const gate = new Gate();

scenarios(
  "iam-tokens run that is killed in the middle",
  (stage) => {
    test("leaves Terraform the provider that it is connected to, to its end", async () => {
      const { scratch, secrets } = stage();
      const app = stage().synth((root) => new StackOf(root, "main", callingStack(stage())));
      const folder = app.stackFolder("main");
      const terraform = terraformBinary();
      const command = ["sh", "-c", `${terraform} init && exec ${terraform} plan -no-color`];
      const held = gate.holdNext();
      const running = startIamTokens(["run", "--", ...command], {
        scratch,
        cwd: folder,
        env: secrets,
      });
      await held.come;
      process.kill(running.pid, "SIGKILL");
      held.letGo();
      const { endedBy, text } = await running.finished;
      expect(endedBy).toBe("SIGKILL");
      // Terraform writes to the same output, and ends later.
      expect(text).toMatch(/status = /);
    });
  },
  { options: { intercept: gate.intercept }, consumers: true },
);
