import { lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { replaceFile, writing } from "../write-file";
import type { RequiredProvider } from "./cli-view";
import type { MergedLock, OwnEntry } from "./merge-lock";
import { mergeLock } from "./merge-lock";

/** Terraform's name for it. */
const NAME = ".terraform.lock.hcl";

/** Merged lock files of a synthesis: many of its stacks have the same one. */
export type MergedLocks = Map<string, MergedLock | undefined>;

/**
 * Brings the lock file of a stack's folder up to date; writes nothing if it is already.
 *
 * @returns undefined if the existing file does not have Terraform's form
 * @throws ERR_WRITE_FAILED
 */
export function updateLockFile(
  stackFolder: string,
  own: OwnEntry,
  required: readonly RequiredProvider[],
  known: MergedLocks = new Map(),
): MergedLock | undefined {
  const path = join(stackFolder, NAME);
  return writing(path, () => {
    const there = lstatSync(path, { throwIfNoEntry: false });
    // A link to a lock file elsewhere stays a link.
    const target = there?.isSymbolicLink() ? realpathSync(path) : path;
    const stats = statSync(target, { throwIfNoEntry: false });
    // Reading a FIFO would wait forever.
    if (stats?.isFile() === false) return undefined;
    const text = stats === undefined ? undefined : readFileSync(target, "utf8");
    const inputs = JSON.stringify([text, own, required]);
    const merged = known.has(inputs) ? known.get(inputs) : mergeLock(text, own, required);
    known.set(inputs, merged);
    if (merged !== undefined && merged.text !== text)
      replaceFile(target, merged.text, stats && stats.mode & 0o777);
    return merged;
  });
}
