import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writing } from "../write-failed";
import { TEMPORARY_PREFIX } from "./value-file";

/**
 * Removes what a synthesis that was killed in the middle of writing has left: a file with tokens in
 * it, that nobody would miss. What a synthesis writes that still runs, beside this one, stays: its
 * file's name begins with its process id.
 *
 * @throws ERR_WRITE_FAILED
 */
export function removeLeftOvers(stackFolder: string): void {
  for (const name of namesIn(stackFolder)) {
    if (
      !name.startsWith(TEMPORARY_PREFIX) ||
      isRunning(Number.parseInt(name.slice(TEMPORARY_PREFIX.length), 10))
    )
      continue;
    const path = join(stackFolder, name);
    writing(path, () => rmSync(path, { force: true }));
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/**
 * Another process of this id. This one has nothing half written: it does not get here in the middle
 * of writing.
 */
function isRunning(pid: number): boolean {
  if (!(pid > 0) || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Of another user's process it is said that it is there, and not ours to signal.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
