import { randomBytes } from "node:crypto";
import {
  lstatSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { writing } from "../write-failed";
import type { RequiredProvider } from "./cli-view";
import type { MergedLock, OwnEntry } from "./merge-lock";
import { mergeLock } from "./merge-lock";

/** Terraform's name for it. */
const NAME = ".terraform.lock.hcl";

/**
 * Brings the lock file of a stack's folder up to date; it is not touched when it is already.
 *
 * @returns undefined when what is there is not a lock file as Terraform writes it
 * @throws ERR_WRITE_FAILED
 */
export function updateLockFile(
  stackFolder: string,
  own: OwnEntry,
  required: readonly RequiredProvider[],
): MergedLock | undefined {
  const path = join(stackFolder, NAME);
  return writing(path, () => {
    const there = lstatSync(path, { throwIfNoEntry: false });
    // A link to a lock file that is kept elsewhere stays a link.
    const target = there?.isSymbolicLink() ? realpathSync(path) : path;
    const text = there === undefined ? undefined : readFileSync(target, "utf8");
    const merged = mergeLock(text, own, required);
    if (merged !== undefined && merged.text !== text) replaceFile(target, merged.text);
    return merged;
  });
}

/** Whole or not at all: a reader, or a full disk, never meets half a file. */
function replaceFile(path: string, text: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0o666;
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    writeFileSync(temporary, text, { flag: "wx", mode: mode & 0o777 });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    // The user knows the lock file, and not the name beside it.
    throw Object.assign(error as NodeJS.ErrnoException, { path });
  }
}
