import { type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { SecretRef, ServiceUserToken, TokenOutputs, TokenResolution, TokenScope } from "../../lib";
import { EmbeddedIdentityService } from "../../lib/testing";
import { markedProcesses, pidOf, stillRunning } from "../support/processes";
import { testIf } from "../support/skips";
import { startTerraform, terraformBinary, terraformEnvironment } from "../support/terraform";
import { ACCOUNT, type Scenario, scenarios } from "./scenario";
import { identityIn, initialized, webToken } from "./stacks";

const onLinux = testIf(process.platform === "linux", "the hand-over is for Linux only");
const OFF = { IAM_TOKENS_HANDOVER: "0" };

/** Three provider blocks of one credential, a token each. */
const threeAliases = (stage: Scenario, revokeOnClose = false): Promise<string> =>
  initialized(stage, (stack) => {
    for (const id of ["one", "two", "three"]) {
      const identity = identityIn(stack, stage, {}, id);
      webToken(stack, stage, { id: `web-${id}`, identity, revokeOnClose });
    }
  });

const servers = ({ scratch }: Scenario) =>
  markedProcesses(scratch.marker).filter(({ command }) => /main\.cjs handover/.test(command));

/** The open files of a process. */
function openIn(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${descriptor}`)];
    } catch {
      // Closed meanwhile.
      return [];
    }
  });
}

/** Resolves when something holds; a scenario's own time is the bound. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}

scenarios("one server for all launches of one Terraform", (stage) => {
  onLinux("makes one request for all aliases of a credential, and for plan and apply", async () => {
    const folder = await threeAliases(stage());
    await stage().succeed(folder, ["apply", "-auto-approve"]);
    expect(stage().requests()).toBe(1);
    await stage().succeed(folder, ["plan"], { ...stage().secrets, ...OFF });
    expect(stage().requests()).toBe(3);
  });

  onLinux("never mixes aliases of different credentials, nor their refusals", async () => {
    const permission = { account: true };
    const identity = await EmbeddedIdentityService.start({
      accountId: ACCOUNT,
      serviceUsers: ["one", "two", "three"].map((name) => ({
        name,
        password: `canary-${name}`,
        permission,
      })),
    });
    try {
      const folder = await initialized(stage(), (stack) => {
        for (const name of ["one", "two", "three"]) {
          const serviceUser = { name, password: SecretRef.env(`PASSWORD_${name}`) };
          const alias = identityIn(
            stack,
            stage(),
            { authUrl: identity.authUrl, serviceUser },
            name,
          );
          const resolution = TokenResolution.DATA;
          const token = new ServiceUserToken(stack, `token-${name}`, {
            identity: alias,
            scope: TokenScope.account(),
            resolution,
          });
          new TokenOutputs(stack, `outputs-${name}`, { token, prefix: name });
        }
      });
      const env = {
        PASSWORD_one: "canary-one",
        PASSWORD_two: "canary-two",
        PASSWORD_three: "canary-two",
      };
      const refused = await stage().terraform(folder, ["apply", "-auto-approve", "-no-color"], env);
      expect(refused.text.match(/Error: /g)).toHaveLength(1);
      expect(refused.text).toContain("token-three");
      await stage().succeed(folder, ["apply", "-auto-approve"], {
        ...env,
        PASSWORD_three: "canary-three",
      });
      const outputs = JSON.parse((await stage().succeed(folder, ["output", "-json"])).stdout);
      for (const name of ["one", "two", "three"]) {
        expect(identity.describeToken(outputs[`${name}_value`].value)).toMatchObject({
          user: name,
        });
      }
    } finally {
      await identity.stop();
    }
  });

  onLinux(
    "takes no part in what reads Terraform's output: a pipe ends when Terraform ends",
    async () => {
      const folder = await threeAliases(stage());
      const env = { ...terraformEnvironment(stage().scratch), ...stage().secrets };
      // Also a descriptor that nobody speaks of, as make's and a shell's `3>&1` are.
      const child = spawn(terraformBinary(), ["plan"], {
        cwd: folder,
        env,
        stdio: ["ignore", "pipe", "pipe", "pipe"],
      });
      for (const stream of child.stdio) if (stream && "resume" in stream) stream.resume();
      const ended = Promise.all(
        child.stdio.slice(1).map((stream) => stream && once(stream, "close")),
      );
      await until(() => servers(stage()).length === 1);
      const server = pidOf(servers(stage())[0]);
      // It cannot end by itself meanwhile.
      process.kill(server, "SIGSTOP");
      try {
        child.kill("SIGKILL");
        await ended;
      } finally {
        process.kill(server, "SIGCONT");
      }
    },
  );
});

scenarios(
  "one server for all launches, while a token is being issued",
  (stage) => {
    async function opening() {
      const folder = await threeAliases(stage());
      const running = startTerraform(folder, ["plan", "-no-color"], {
        scratch: stage().scratch,
        env: stage().secrets,
      });
      await running.printed(/web-three: Opening|web-one: Opening/);
      const [server, ...others] = servers(stage());
      expect(others).toEqual([]);
      return { running, server: pidOf(server) };
    }

    onLinux(
      "keeps no descriptor that Terraform has inherited: a shell's `> >(tee log)`, the lock of flock",
      async () => {
        const folder = await threeAliases(stage());
        const env = { ...terraformEnvironment(stage().scratch), ...stage().secrets };
        const lock = openSync(join(stage().scratch.folder, "lock"), "w");
        const stdio = Array.from({ length: 13 }, (_none, descriptor) =>
          [5, 9, 12].includes(descriptor) ? "pipe" : "ignore",
        );
        const child = spawn(terraformBinary(), ["plan"], {
          cwd: folder,
          env,
          stdio: [...stdio, lock] as StdioOptions,
        });
        closeSync(lock);
        const ended = once(child, "exit");
        const terraform = pidOf(child);
        const inherited = [5, 9, 12, 13].map((descriptor) =>
          readlinkSync(`/proc/${terraform}/fd/${descriptor}`),
        );
        await until(() => servers(stage()).length === 1);
        const server = pidOf(servers(stage())[0]);
        await until(() => !openIn(server).some((link) => inherited.includes(link)));
        expect(openIn(server)).toContain("/dev/null");
        expect(inherited.join(" ")).toMatch(/^(socket:\S+ ){3}\S+lock$/);
        child.kill("SIGKILL");
        await ended;
      },
    );

    onLinux("is gone with a Terraform that is killed", async () => {
      const { running } = await opening();
      running.signalAlone("SIGKILL");
      await running.finished;
      expect(await stillRunning(stage().scratch.marker)).toEqual([]);
      expect(readdirSync(stage().scratch.tmp)).toEqual([]);
    });

    onLinux("fails the plan when it is killed itself, and leaves nothing", async () => {
      const { running, server } = await opening();
      process.kill(server, "SIGKILL");
      const ended = await running.finished;
      expect(ended.exitCode).toBe(1);
      expect(ended.text).not.toMatch(/ERR_NO_ANSWER|Opening complete/);
    });
  },
  { config: { latencyMs: 60_000 } },
);
