import { closeSync, mkdirSync, openSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { writing } from "../write-file";
import { ignoreValueFile, unignoreValueFile } from "./git-ignore";
import {
  lstatOf,
  readValueFile,
  removeLeftOvers,
  removeValueFile,
  temporaryFileIn,
  type VariableValues,
  writeValueFile,
} from "./value-file";

/**
 * Writes the values of a stack's variables next to it; without any, removes those of an earlier
 * synthesis.
 *
 * @returns false if the file is written and Git may not ignore it
 * @throws ERR_FILE_NOT_OURS, ERR_WRITE_FAILED
 */
export function deliverValues(stackFolder: string, values: VariableValues | undefined): boolean {
  if (values === undefined) {
    removeValues(stackFolder);
    return true;
  }
  writing(stackFolder, () => mkdirSync(stackFolder, { recursive: true }));
  // First: Git must never see the values.
  const ignored = ignoreValueFile(stackFolder);
  removeLeftOvers(stackFolder);
  writeValueFile(stackFolder, values);
  return ignored;
}

/**
 * Removes the values in other stacks' folders: of stacks without tokens of ours, where no code of
 * ours runs, or of stacks that no longer exist.
 *
 * @param stacks the folder of the stacks' folders
 * @param kept names of the stacks whose values may stay
 * @throws ERR_WRITE_FAILED
 */
export function sweepValues(stacks: string, kept: readonly string[]): void {
  for (const name of foldersIn(stacks)) {
    if (kept.includes(name)) continue;
    const folder = join(stacks, name);
    // If case is ignored, the folder of "web" may still be named "Web".
    const same = fileOf(folder);
    if (!kept.some((each) => fileOf(join(stacks, each)) === same)) removeValues(folder);
  }
}

/** The identity of the file behind a path. */
function fileOf(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino}`;
}

/**
 * Checks, before a request to a service, that a file of values can be written: no file of the user
 * has its name, and the folder, or the nearest existing one above it, is writable. Only creating a
 * file proves this: a file system may refuse although the permissions allow it. Nothing is left
 * behind, and nothing is guaranteed: later changes are found when the values are written.
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
      // The user knows the folder, but not the temporary name in it.
      throw Object.assign(error as NodeJS.ErrnoException, { path: there });
    }
    rmSync(trial, { force: true });
  });
}

/** Removes the files of an earlier synthesis from a stack's folder. @throws ERR_WRITE_FAILED */
export function removeValues(stackFolder: string): void {
  // Before the .gitignore that protects them is removed.
  removeLeftOvers(stackFolder);
  if (removeValueFile(stackFolder)) unignoreValueFile(stackFolder);
}

/** A broken link counts as existing: no folder can be created in its place. */
function nearest(folder: string): string {
  const parent = dirname(folder);
  return parent === folder || lstatOf(folder) !== undefined ? folder : nearest(parent);
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
}
