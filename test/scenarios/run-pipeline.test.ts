import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { TokenScope } from "../../lib";
import { startCommand } from "../support/command";
import { terraformBinary, terraformEnvironment } from "../support/terraform";
import { callProduct } from "./product";
import {
  Gate,
  IAM_TOKENS,
  iamTokens,
  type Scenario,
  scenarios,
  startIamTokens,
  webToken,
} from "./world";

const TERRAFORM = terraformBinary();

/** The folder of a stack whose token authenticates another provider. */
const callingStack = (stage: Scenario) =>
  stage.stack((stack) => {
    const { headers } = webToken(stack, stage, { id: "account", scope: TokenScope.account() });
    callProduct(stack, "/account", { ...stage.api, headers });
  });

const gate = new Gate();

// docs/run.md: A token is issued once for each credential and scope
scenarios(
  "a pipeline under iam-tokens run",
  (stage) => {
    test("makes one request for all its phases, and has a summary of it; also where the address space is limited", async () => {
      const { scratch, secrets } = stage();
      const cwd = callingStack(stage());
      const unlimited = "ulimit -Sv unlimited 2>/dev/null";
      const phases = ["init", "apply -auto-approve", "output -json", "destroy -auto-approve"];
      const pipeline = [unlimited, ...phases.map((phase) => `${TERRAFORM} ${phase}`)].join(" && ");
      const run = ["run", "--", "sh", "-c", pipeline];
      // WebAssembly would reserve more in advance.
      const limited = `ulimit -Sv 3000000 2>/dev/null; exec "$@"`;
      const { exitCode, stdout, stderr } = await startCommand(
        "/bin/sh",
        ["-c", limited, "sh", process.execPath, IAM_TOKENS, ...run],
        { cwd, env: { ...terraformEnvironment(scratch), ...secrets } },
      ).finished;
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/"value": 200/);
      expect(stage().requests()).toBe(1);
      expect(stderr).toMatch(/^iam-tokens: uses: \d+, requests: 1, /m);
      expect(stage().leaks({ stdout, stderr })).toEqual([]);
    });

    test("--withhold keeps a variable from the command, and the provider has it; --quiet, the summary", async () => {
      const { scratch, secrets: env, password } = stage();
      const cwd = callingStack(stage());
      const withheld = ["--quiet", "--withhold", "SERVICE_USER_PASSWORD"];
      const command = `env; ${TERRAFORM} init && ${TERRAFORM} apply -auto-approve`;
      const { exitCode, stdout, stderr } = await iamTokens(
        ["run", ...withheld, "--", "sh", "-c", command],
        { scratch, cwd, env },
      );
      expect([exitCode, stage().requests(), stdout.includes(password)]).toEqual([0, 1, false]);
      expect(stdout).toMatch(/^STATIC_TOKEN=/m);
      expect(stderr).not.toContain("uses:");
    });

    test("whose run is killed in the middle keeps the provider that Terraform is connected to, to its end", async () => {
      const { scratch, secrets } = stage();
      const cwd = callingStack(stage());
      const log = join(cwd, "provider.log");
      const env = { ...secrets, TF_LOG_PROVIDER: "WARN", TF_LOG_PATH: log };
      const command = ["sh", "-c", `${TERRAFORM} init && exec ${TERRAFORM} plan -no-color`];
      const held = gate.holdNext();
      const running = startIamTokens(["run", "--", ...command], { scratch, cwd, env });
      await held.come;
      process.kill(running.pid, "SIGKILL");
      // Until the provider has heard of it.
      while (!/process that started the provider has ended/.test(readFileSync(log, "utf8")))
        await setTimeout(20);
      held.letGo();
      const { endedBy, text } = await running.finished;
      expect(endedBy).toBe("SIGKILL");
      // Terraform writes to the same output, and ends later.
      expect(text).toMatch(/status = /);
    });
  },
  { options: { intercept: gate.intercept }, consumers: true },
);
