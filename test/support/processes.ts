import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

/**
 * The environment variable that marks a process and all its descendants, even after they have
 * changed parents.
 */
export const MARKER = "IAM_TOKENS_TEST_MARK";

/** Whether {@link markedProcesses} can find processes here. */
export function canListProcesses(): boolean {
  return existsSync("/proc/self/environ");
}

/**
 * The live processes with this value of the marker in their environment. Zombies hold nothing, and
 * do not count.
 */
export function markedProcesses(marker: string) {
  return (canListProcesses() ? readdirSync("/proc") : [])
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      // A process may end between two reads, or belong to another user.
      const environment = readProc(name, "environ").split("\0");
      if (!environment.includes(`${MARKER}=${marker}`)) return [];
      // Program and arguments.
      return [
        { pid: Number(name), command: readProc(name, "cmdline").split("\0").join(" ").trim() },
      ];
    });
}

/**
 * Waits until no process has the marker, and returns those that are still there after the time:
 * none in case of success. An end takes a moment, so this polls.
 */
export async function stillRunning(marker: string, timeoutMs = 15_000) {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const found = markedProcesses(marker);
    if (found.length === 0 || performance.now() > end) return found;
    await wait(20);
  }
}

/**
 * The id of a process that must be running. Throws otherwise: a signal to -1 or 0 in its place
 * would reach every process of the user, or this test's own.
 */
export function pidOf(found: { readonly pid?: number | undefined } | undefined): number {
  if (found?.pid === undefined) throw new Error("The process does not run.");
  return found.pid;
}

function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
