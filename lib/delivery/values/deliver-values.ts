import { closeSync, mkdirSync, openSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writing } from "../write-file";
import { ignoreValueFile, unignoreValueFile } from "./git-ignore";
import {
  readValueFile,
  removeValueFile,
  TEMPORARY_FILE,
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
  writeValueFile(stackFolder, values);
  return ignored;
}

/**
 * Opens the file before a request to a service: no file of the user has its name, and the folder is
 * writable. Only creating a file proves this. Nothing but the folder is left behind.
 *
 * @throws ERR_FILE_NOT_OURS, ERR_WRITE_FAILED
 */
export function tryValueFile(stackFolder: string): void {
  readValueFile(stackFolder);
  writing(stackFolder, () => {
    mkdirSync(stackFolder, { recursive: true });
    const path = join(stackFolder, TEMPORARY_FILE);
    rmSync(path, { force: true });
    closeSync(openSync(path, "wx", 0o600));
    rmSync(path);
  });
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
  // If case is ignored, the folder of "web" may still be named "Web".
  const names = new Set(kept.map((name) => name.toLowerCase()));
  for (const name of foldersIn(stacks))
    if (!names.has(name.toLowerCase())) removeValues(join(stacks, name));
}

function removeValues(stackFolder: string): void {
  writing(stackFolder, () => rmSync(join(stackFolder, TEMPORARY_FILE), { force: true }));
  if (removeValueFile(stackFolder)) unignoreValueFile(stackFolder);
}

function foldersIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch {
    return [];
  }
}
