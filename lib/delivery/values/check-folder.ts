import { closeSync, openSync, rmSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { writing } from "../write-failed";
import { lstatOf, readValueFile, temporaryFileIn } from "./value-file";

/**
 * Checks, before anything is asked of a service, that a file of values can be written: no file of
 * the user's has its name, and the folder, or the nearest one above it that is there, can be
 * written to. Only making a file tells: rights say yes where a file system says no. Nothing is left
 * behind, and nothing is promised: what changes until the values are written is found then.
 *
 * @throws ERR_FILE_NOT_OURS, ERR_WRITE_FAILED
 */
export function checkValueFolder(stackFolder: string): void {
  readValueFile(stackFolder);
  const there = nearest(resolve(stackFolder));
  writing(there, () => {
    if (!statSync(there).isDirectory())
      throw Object.assign(new Error("not a folder"), { code: "ENOTDIR", path: there });
    const trial = temporaryFileIn(there);
    try {
      closeSync(openSync(trial, "wx", 0o600));
    } catch (error) {
      // The user knows the folder, and not the name in it.
      throw Object.assign(error as NodeJS.ErrnoException, { path: there });
    }
    rmSync(trial, { force: true });
  });
}

/** A link that leads nowhere is there: no folder can be made in its place. */
function nearest(folder: string): string {
  const parent = dirname(folder);
  return parent === folder || lstatOf(folder) !== undefined ? folder : nearest(parent);
}
