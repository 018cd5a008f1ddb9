import { accessSync, constants, lstatSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { replaceFile } from "../delivery/write-file";
import { errorCodeOf, IamTokensError, quote } from "../tokens";

/**
 * Writes a file that the user has named: whole or not at all. One that is there is replaced;
 * anything but a file is refused, also a link, which could lead anywhere.
 *
 * @param mode permission bits; by default as the umask has it
 * @throws ERR_OUTPUT_FILE
 */
export function writeOutputFile(path: string, content: string, mode?: number): void {
  const shown = quote(path);
  let problem: string | undefined;
  let cause: unknown;
  try {
    const what = notAFile(path);
    if (what === undefined) replaceFile(path, content, mode);
    else problem = `is ${what}`;
  } catch (error) {
    problem = `cannot be written (${errorCodeOf(error) ?? "unknown"})`;
    cause = error;
  }
  if (problem !== undefined)
    throw new IamTokensError("ERR_OUTPUT_FILE", `${shown} ${problem}.`, { cause });
}

/**
 * Sees that a file could be written, before anything is done that it should tell of, and removes an
 * older one: what stands there afterwards is of this command.
 *
 * @throws ERR_USAGE
 */
export function prepareOutputFile(option: string, path: string): void {
  let problem: string | undefined;
  try {
    accessSync(dirname(path), constants.W_OK | constants.X_OK);
    const what = notAFile(path);
    if (what === undefined) rmSync(path, { force: true });
    else problem = `is ${what}`;
  } catch (error) {
    problem = `cannot be written (${errorCodeOf(error) ?? "unknown error"})`;
  }
  if (problem === undefined) return;
  throw new IamTokensError("ERR_USAGE", `${option} names ${quote(path)}, which ${problem}.`, {
    remedy: "Give the path of a file in a folder that is there and may be written to.",
  });
}

/** What stands in a file's place; undefined when that is a file, or nothing. */
function notAFile(path: string): string | undefined {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there === undefined || there.isFile()) return undefined;
  return there.isDirectory()
    ? "a folder"
    : there.isSymbolicLink()
      ? "a link"
      : "not a regular file";
}
