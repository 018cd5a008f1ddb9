import { existsSync, mkdirSync, readFileSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { EmbeddedIdentityService } from "../../lib/testing";
import { startCommand } from "../support/command";
import { makeScratch } from "../support/scratch";
import { terraformEnvironment } from "../support/terraform";
import { type Contestant, measure, type Times } from "./pairs";

export const ACCOUNT = "123456";
export const USER = "deployer";
export const PASSWORD_VARIABLE = "SERVICE_USER_PASSWORD";
export const PASSWORD = "bench-password";

export type Stage = Awaited<ReturnType<typeof openStage>>;

/**
 * State shared by all measurements: an identity service that answers at once, and a place for
 * files.
 */
export async function openStage(rounds: number) {
  const scratch = makeScratch();
  const permission = { account: true };
  const identity = await EmbeddedIdentityService.start(
    { accountId: ACCOUNT, serviceUsers: [{ name: USER, password: PASSWORD, permission }] },
    { echo: true },
  );
  return {
    identity,
    scratch,
    /** The environment of all commands. */
    env: { ...terraformEnvironment(scratch), CI: "true", [PASSWORD_VARIABLE]: PASSWORD },
    /** Times contestants, counts their requests and reports progress on standard error. */
    measure: (what: string, contestants: readonly Contestant[]) =>
      measure(
        contestants,
        rounds,
        () => identity.journal.filter(({ method }) => method === "POST").length,
        (round) => console.error(`${what}: ${round === 0 ? "warmed up" : `round ${round}`}`),
      ),
    async remove() {
      await identity.stop();
      scratch.remove();
    },
  };
}

/** Runs a command; a failure is an error. */
export async function timed(
  cwd: string,
  env: Readonly<Record<string, string>>,
  ...command: readonly string[]
): Promise<Times> {
  const group = controlGroup();
  // The shell joins the group, and becomes the command.
  const words = ["-c", 'echo $$ >"$0" && exec "$@"', group?.processes ?? "/dev/null", ...command];
  const { exitCode, durationMs, text } = await startCommand("sh", words, { cwd, env }).finished;
  if (exitCode !== 0) throw new Error(`${command.join(" ")}:\n${text.slice(-4_000)}`);
  return { clock: durationMs, processor: (await group?.close()) ?? Number.NaN };
}

/**
 * Counts the processor time of a command and of all that it starts, also of what outlives it: its
 * server for all launches. Undefined where this process may make no control group.
 */
function controlGroup() {
  const root = ["/sys/fs/cgroup/cpuacct", "/sys/fs/cgroup"].find((folder) =>
    existsSync(join(folder, "cgroup.procs")),
  );
  if (root === undefined) return undefined;
  const folder = join(root, `iam-tokens-bench-${process.pid}`);
  try {
    mkdirSync(folder);
  } catch {
    return undefined;
  }
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  return {
    processes: join(folder, "cgroup.procs"),
    /** Milliseconds, once everything has ended. */
    async close() {
      while (read("cgroup.procs") !== "") await setTimeout(10);
      const usage = existsSync(join(folder, "cpuacct.usage"))
        ? Number(read("cpuacct.usage")) / 1_000_000
        : Number(/^usage_usec (\d+)/m.exec(read("cpu.stat"))?.[1]) / 1_000;
      rmdirSync(folder);
      return usage;
    },
  };
}
