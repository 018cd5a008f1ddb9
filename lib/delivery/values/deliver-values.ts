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
 * Puts the values of a stack's variables beside it; without any it removes those of an earlier
 * synthesis.
 *
 * @returns false when the file is written and Git may not ignore it
 * @throws ERR_FILE_NOT_OURS, ERR_WRITE_FAILED
 */
export function deliverValues(stackFolder: string, values: VariableValues | undefined): boolean {
  if (values === undefined) {
    removeValues(stackFolder);
    return true;
  }
  writing(stackFolder, () => mkdirSync(stackFolder, { recursive: true }));
  // First, so that there is no moment in which Git would take the values.
  const ignored = ignoreValueFile(stackFolder);
  removeLeftOvers(stackFolder);
  writeValueFile(stackFolder, values);
  return ignored;
}

/**
 * Removes the values in other stacks' folders: of stacks that have no token of ours any more, or
 * are no longer there, for which nothing of ours runs.
 *
 * @param stacks the folder of the stacks' folders
 * @param kept names of those whose values may stay
 * @throws ERR_WRITE_FAILED
 */
export function sweepValues(stacks: string, kept: readonly string[]): void {
  for (const name of foldersIn(stacks)) if (!kept.includes(name)) removeValues(join(stacks, name));
}

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

/** Removes what an earlier synthesis has written into a stack's folder. @throws ERR_WRITE_FAILED */
export function removeValues(stackFolder: string): void {
  // Before the .gitignore that keeps them out of Git.
  removeLeftOvers(stackFolder);
  if (removeValueFile(stackFolder)) unignoreValueFile(stackFolder);
}

/** A link that leads nowhere is there: no folder can be made in its place. */
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
