import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { readProviderFiles } from "../../../lib/delivery/provider-files";
import { MAGIC_COOKIE } from "../../../lib/plugin/launch/handshake";
import { createServerIdentity } from "../../../lib/plugin/tls/server-identity";
import { startCommand } from "../../support/command";
import { type FoundProcess, markedProcesses, stillRunning } from "../../support/processes";
import { packageRoot } from "../../support/project";
import { makeScratch } from "../../support/scratch";
import { describeIf } from "../../support/skips";

/** The signal comes before Node.js has begun, while it begins, and afterwards. */
const LATE_MS = 300;
const DELAYS_MS = [0, 20, LATE_MS];
/**
 * When a debugger that a signal has opened before our first instruction counts as left open: on a
 * busy machine that instruction comes late.
 */
const LEFT_OPEN_MS = 30_000;
/** How long none may be open. */
const CLOSED_FOR_MS = 200;

const LAUNCHER = join(
  packageRoot,
  `dist/terraform/terraform-provider-iam_v${readProviderFiles().version}`,
);
const LAUNCHED = {
  [MAGIC_COOKIE.name]: MAGIC_COOKIE.value,
  PLUGIN_PROTOCOL_VERSIONS: "6",
  PLUGIN_CLIENT_CERT: createServerIdentity().certificatePem,
};
const RUN = [process.execPath, join(packageRoot, "dist/cli/main.js"), "run", "--"];

interface Entry {
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Starts Node.js without our shell script. */
  readonly window?: true;
  /** Printed once a signal no longer ends the command: a late one waits for it. */
  readonly says?: RegExp;
  /** The process that is signalled, and whose start the delays count from; all, when left out. */
  readonly process?: RegExp;
}

const ENTRIES: Readonly<Record<string, Entry>> = {
  "a provider of one launch": {
    command: [LAUNCHER],
    env: { ...LAUNCHED, IAM_TOKENS_HANDOVER: "0" },
  },
  "the server of a hand-over, and its launcher": { command: [LAUNCHER], env: LAUNCHED },
  "iam-tokens run": {
    command: [...RUN, "sh", "-c", "trap '' USR1; echo trapped; sleep 60"],
    window: true,
    says: /trapped/,
  },
  "the provider of iam-tokens run": { command: [...RUN, "sleep", "60"], process: /attached\.js/ },
};

/** The processes that listen where Node.js's debugger does. */
function debuggers(processes: readonly FoundProcess[]): readonly string[] {
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

describeIf(process.platform === "linux", "no /proc")("SIGUSR1 opens no debugger", () => {
  test.each(Object.entries(ENTRIES))(
    "in %s",
    async (_name, entry) => {
      for (const delay of DELAYS_MS)
        expect({ delay, open: await signalled(entry, delay) }).toEqual({ delay, open: [] });
    },
    600_000,
  );
});

/**
 * Sends the signal to the processes of a command.
 *
 * @returns who has a debugger open afterwards
 */
async function signalled(entry: Entry, delay: number): Promise<readonly string[]> {
  const [file = "", ...args] = entry.command;
  const scratch = makeScratch();
  const env = { ...scratch.env, ...entry.env };
  const running = startCommand(file, args, { cwd: process.cwd(), env });
  const wanted = () =>
    markedProcesses(scratch.marker).filter(({ command }) => entry.process?.test(command) ?? true);
  try {
    const latest = performance.now() + 30_000;
    while (wanted().length === 0 && performance.now() < latest) await wait(1);
    await wait(delay);
    if (entry.says !== undefined && delay >= LATE_MS) await running.printed(entry.says);
    // An earlier signal may end what has just begun; a later one finds it, and leaves it alive.
    const isThere = () => delay < LATE_MS || wanted().length > 0;
    expect(isThere()).toBe(true);
    const begun = performance.now();
    // Never a process id that may be somebody else's by now: Node.js knows whether its child lives,
    // and the others have the mark at this moment.
    if (entry.process === undefined) running.signalAlone("SIGUSR1");
    for (const { pid } of wanted()) if (pid !== running.pid) sendIfThere(pid, "SIGUSR1");
    for (let closedSince = begun; performance.now() - closedSince < CLOSED_FOR_MS; ) {
      await wait(5);
      const open = debuggers(markedProcesses(scratch.marker));
      if (open.length === 0) continue;
      closedSince = performance.now();
      if (!entry.window || closedSince - begun > LEFT_OPEN_MS) return open;
    }
    expect(isThere()).toBe(true);
    return [];
  } finally {
    running.signalGroup("SIGKILL");
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
