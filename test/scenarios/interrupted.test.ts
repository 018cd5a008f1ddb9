import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { TerraformOutput } from "cdktf";
import { SecretRef } from "../../lib";
import { type RunningCommand, startCommand } from "../support/command";
import { someOf } from "../support/fuzz";
import { markedProcesses, pidOf } from "../support/processes";
import { terraformBinary, terraformEnvironment } from "../support/terraform";
import {
  IAM_TOKENS,
  identityIn,
  type Scenario,
  scenarios,
  startIamTokens,
  webToken,
} from "./world";

// After each, the world looks for processes and files that are left.

const BY: Readonly<Record<string, (world: Scenario, cwd: string, args: string) => RunningCommand>> =
  {
    terraform: ({ start }, folder, args) => start(folder, args),
    "iam-tokens run terraform": ({ scratch, secrets: env }, cwd, args) =>
      startIamTokens(["run", terraformBinary(), ...args.split(" ")], { scratch, cwd, env }),
  };

/** What ends it, and how the command ends then. */
const ENDS: Readonly<Record<string, (running: RunningCommand, world: Scenario) => RegExp>> = {
  "Ctrl-C": (running) => {
    running.signalGroup("SIGINT");
    // Terraform's own word is missing if the provider's end of the waits comes first.
    return /^1 [\s\S]*(Interrupt received|was cancelled)/;
  },
  "SIGTERM to all, as a CI system stops a job": (running) => {
    running.signalGroup("SIGTERM");
    return /^1 [\s\S]*(Interrupt received|was cancelled)/;
  },
  "SIGTERM to it alone, as systemd does": (running) => {
    running.signalAlone("SIGTERM");
    return /^1 [\s\S]*(Interrupt received|was cancelled)/;
  },
  "kill -9 of the provider": (_running, { scratch }) => {
    const isProvider = /main\.cjs (handover|$)|main\.cjs$|attached\.js/;
    const found = markedProcesses(scratch.marker).find(({ command }) => isProvider.test(command));
    process.kill(pidOf(found), "SIGKILL");
    return /^1 /;
  },
  "kill -9 of Terraform": (running) => {
    running.signalAlone("SIGKILL");
    return /^SIGKILL /;
  },
};

// docs/run.md: Ctrl-C reaches Terraform without it.
scenarios(
  "while a token is being issued",
  (stage) => {
    const ROWS = [
      ["terraform", "plan", "Ctrl-C"],
      // In the plan of an apply Terraform passes nothing on: the provider ends the wait by itself.
      ["terraform", "apply -auto-approve", "Ctrl-C"],
      ["terraform", "plan", "SIGTERM to all, as a CI system stops a job"],
      ["terraform", "plan", "kill -9 of the provider"],
      ["terraform", "plan", "kill -9 of Terraform"],
      ["iam-tokens run terraform", "plan", "Ctrl-C"],
      ["iam-tokens run terraform", "apply -auto-approve", "Ctrl-C"],
      ["iam-tokens run terraform", "apply -auto-approve", "SIGTERM to it alone, as systemd does"],
      ["iam-tokens run terraform", "plan", "kill -9 of the provider"],
    ] as const;
    test.each(someOf(ROWS))(
      "%s %s is ended at once by %s, and leaves no lock",
      async (by, args, end) => {
        const folder = await stage().initialized((stack) => {
          for (const id of ["web", "other"])
            webToken(stack, stage(), { id, identity: identityIn(stack, stage(), {}, `of-${id}`) });
        });
        const running = BY[by]?.(stage(), folder, args);
        // Both: a provider that OpenTofu starts after the end would wait for itself.
        await running?.printed(/Opening\.\.\.[\s\S]*Opening\.\.\./);
        const ended = running && ENDS[end]?.(running, stage());
        const { exitCode, endedBy, text = "" } = (await running?.finished) ?? {};
        expect(`${exitCode ?? endedBy} ${text}`).toMatch(ended ?? /$^/);
        // After ten seconds for each try.
        expect(text).not.toMatch(/ERR_NO_ANSWER|Opening complete|Two interrupts received/);
        expect((await stage().terraform(folder, "state list")).text).not.toMatch(/lock/i);
      },
    );
  },
  { options: { intercept: () => ({ cut: "silence" }) } },
);

// docs/run.md: the command ignores SIGHUP, and Terraform saves the state.
scenarios(
  "under nohup, when the terminal closes",
  (stage) => {
    test.each([
      ["terraform", [], {}],
      ["terraform with a server for each launch", [], { IAM_TOKENS_HANDOVER: "0" }],
      ["iam-tokens run", [process.execPath, IAM_TOKENS, "run"], {}],
    ])("%s applies, and saves the state", async (_by, words, more) => {
      const folder = await stage().initialized((stack) => {
        webToken(stack, stage());
        new TerraformOutput(stack, "saved", { value: "yes" });
      });
      const { scratch, secrets } = stage();
      const command = [...words, terraformBinary(), "apply", "-auto-approve"];
      const running = startCommand("sh", ["-c", 'trap "" HUP; exec "$@"', "sh", ...command], {
        cwd: folder,
        env: { ...terraformEnvironment(scratch), ...secrets, ...more },
      });
      await running.printed(/Opening\.\.\./);
      running.signalGroup("SIGHUP");
      const { exitCode, text } = await running.finished;
      expect(`${exitCode} ${text}`).toMatch(/^0 [\s\S]*Apply complete/);
      expect((await stage().terraform(folder, "output")).text).toContain("saved");
    });
  },
  {
    options: {
      intercept: async (_, serve) => {
        await wait(1_000);
        return serve();
      },
    },
  },
);

const HANGS = `const { spawn } = require("node:child_process");
spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]).on("spawn", () =>
  require("node:fs").writeFileSync(__filename + ".runs", ""));
setInterval(() => {}, 1000);`;

// SECURITY.md: is ended with its process group
scenarios("while a secret's command hangs, with a child,", (stage) => {
  test("Ctrl-C ends a plan, the command and its child", async () => {
    const program = join(stage().scratch.folder, "hangs.cjs");
    writeFileSync(program, HANGS);
    const folder = await stage().initialized((stack) => {
      const password = SecretRef.command([process.execPath, program]);
      const serviceUser = { name: "deployer", password };
      webToken(stack, stage(), { identity: identityIn(stack, stage(), { serviceUser }) });
    });
    const running = stage().start(folder, "plan");
    while (!existsSync(`${program}.runs`)) await wait(20);
    running.signalGroup("SIGINT");
    const started = performance.now();
    expect((await running.finished).exitCode).toBe(1);
    // Not after the command's 30 s.
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(stage().requests()).toBe(0);
  });
});
