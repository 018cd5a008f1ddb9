import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { arch, platform } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { MAGIC_COOKIE } from "../../lib/plugin/launch/handshake";
import { createServerIdentity } from "../../lib/plugin/tls/server-identity";
import { startCommand } from "../support/command";
import { canListProcesses, markedProcesses, stillRunning } from "../support/processes";
import { packageRoot } from "../support/project";
import { makeScratch } from "../support/scratch";
import { describeIf } from "../support/skips";
import { IAM_TOKENS } from "./run-support";

jest.setTimeout(600_000);

/** One round has a signal before Node.js has begun, while it begins, and afterwards. */
const ROUNDS = Number(process.env.IAM_TOKENS_SIGNAL_ROUNDS ?? 1);
/** Several also have what is between: 5 are more than 200 signals. */
const DELAYS_MS = ROUNDS === 1 ? [0, 20, 300] : [0, 1, 5, 20, 80, 300];
/**
 * When a debugger that a signal has opened before our first instruction counts as left open: on a
 * busy machine that instruction comes late.
 */
const LEFT_OPEN_MS = 30_000;
/** How long none may be open. */
const CLOSED_FOR_MS = 200;

const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8"));
const LAUNCHER = join(packageRoot, `dist/terraform/terraform-provider-iam_v${version}`);
const LAUNCHED = {
  [MAGIC_COOKIE.name]: MAGIC_COOKIE.value,
  PLUGIN_PROTOCOL_VERSIONS: "6",
  PLUGIN_CLIENT_CERT: createServerIdentity().certificatePem,
};

interface Entry {
  readonly command: readonly string[];
  readonly env?: () => Readonly<Record<string, string>>;
  /** Starts Node.js without our shell script. */
  readonly window?: true;
  /** The process that is signalled, and whose start the delays count from; all, when left out. */
  readonly process?: RegExp;
}

const ENTRIES: Readonly<Record<string, Entry>> = {
  "a provider of one launch": {
    command: [LAUNCHER],
    env: () => ({ ...LAUNCHED, IAM_TOKENS_HANDOVER: "0" }),
  },
  "the server of a hand-over, and its launcher": { command: [LAUNCHER], env: () => LAUNCHED },
  "iam-tokens run": {
    command: [process.execPath, IAM_TOKENS, "run", "--", "sh", "-c", "trap '' USR1; sleep 2"],
    window: true,
  },
  "the provider of iam-tokens run": {
    command: [process.execPath, IAM_TOKENS, "run", "--", "sleep", "2"],
    process: /attached\.js/,
  },
};

/** The processes of a marker that listen where Node.js's debugger does. */
function debuggers(processes: ReturnType<typeof markedProcesses>): readonly string[] {
  const listening = readFileSync("/proc/net/tcp", "latin1")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, address, , state]) => address?.endsWith(":240D") === true && state === "0A")
    .map((fields) => `socket:[${fields[9]}]`);
  return processes
    .filter(({ pid }) => filesOf(pid).some((file) => listening.includes(file)))
    .map(({ command }) => command);
}

function filesOf(pid: number): readonly string[] {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).map((name) => readlinkSync(join(folder, name)));
  } catch {
    return [];
  }
}

describeIf(canListProcesses() && platform() === "linux", `no /proc (${platform()} ${arch()})`)(
  "SIGUSR1 opens no debugger",
  () => {
    test.each(Object.entries(ENTRIES))("in %s", async (_name, entry) => {
      const found: unknown[] = [];
      for (let round = 0; round < ROUNDS; round += 1)
        for (const delay of DELAYS_MS) {
          const open = await signalled(entry, delay);
          if (open.length > 0) found.push({ delay, open });
        }
      expect(found).toEqual([]);
    });
  },
);

/**
 * Sends the signal to the processes of a command.
 *
 * @returns who has a debugger open afterwards
 */
async function signalled(entry: Entry, delay: number): Promise<readonly string[]> {
  const [file = "", ...args] = entry.command;
  const scratch = makeScratch();
  const running = startCommand(file, args, {
    cwd: process.cwd(),
    env: { ...scratch.env, ...entry.env?.() },
  });
  const wanted = () =>
    markedProcesses(scratch.marker).filter(({ command }) => entry.process?.test(command) ?? true);
  try {
    const latest = performance.now() + 30_000;
    while (wanted().length === 0 && performance.now() < latest) await wait(1);
    await wait(delay);
    const begun = performance.now();
    // Never a process id that may be somebody else's by now: Node.js knows whether its child lives,
    // and the others have the mark at this moment.
    if (entry.process === undefined) running.signalAlone("SIGUSR1");
    for (const { pid } of wanted()) {
      if (pid !== running.pid) sendIfThere(pid, "SIGUSR1");
    }
    for (let closedSince = begun; performance.now() - closedSince < CLOSED_FOR_MS; ) {
      await wait(5);
      const open = debuggers(markedProcesses(scratch.marker));
      if (open.length === 0) continue;
      closedSince = performance.now();
      if (!entry.window || closedSince - begun > LEFT_OPEN_MS) return open;
    }
    return [];
  } finally {
    running.signalGroup("SIGTERM");
    await running.finished;
    for (const { pid } of await stillRunning(scratch.marker, 2_000)) sendIfThere(pid, "SIGKILL");
    scratch.remove();
  }
}

function sendIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
