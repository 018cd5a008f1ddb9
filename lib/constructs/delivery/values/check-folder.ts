import { accessSync, constants, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { writing } from "../write-failed";
import { lstatOf, readValueFile } from "./value-file";

/**
 * Checks, before anything is asked of a service, that a file of values can be written: no file of the user's has its name, and the
 * folder, or the nearest one above it that is there, can be written to.
 *
 * @throws ERR_FILE_NOT_OURS, ERR_WRITE_FAILED
 */
export function checkValueFolder(stackFolder: string): void {
  readValueFile(stackFolder);
  const there = nearest(resolve(stackFolder));
  writing(there, () => {
    if (!statSync(there).isDirectory()) throw Object.assign(new Error("not a folder"), { code: "ENOTDIR", path: there });
    accessSync(there, constants.W_OK | constants.X_OK);
  });
}

/** A link that leads nowhere is there: no folder can be made in its place. */
function nearest(folder: string): string {
  const parent = dirname(folder);
  return parent === folder || lstatOf(folder) !== undefined ? folder : nearest(parent);
}
