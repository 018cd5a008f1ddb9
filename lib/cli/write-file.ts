import { accessSync, constants, lstatSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { replaceFile } from "../delivery/write-file";
import { errorCodeOf, IamTokensError, quote } from "../tokens";

/**
 * Writes a file that the user has named, completely or not at all. An existing file is replaced;
 * anything but a file is refused, including a link, which could lead anywhere.
 *
 * @param mode permission bits; by default those of the umask
 * @throws ERR_OUTPUT_FILE
 */
export function writeOutputFile(path: string, content: string, mode?: number): void {
  const file = quote(path);
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
    throw new IamTokensError("ERR_OUTPUT_FILE", `${file} ${problem}.`, { cause });
}

/**
 * Checks that a file can be written, before any action that it will describe, and removes an older
 * one: a file that is there afterwards comes from this command.
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
    remedy: "Give the path of a file in an existing, writable folder.",
  });
}

/** The kind of a path that is not a file; undefined for a file, or nothing. */
function notAFile(path: string): string | undefined {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there === undefined || there.isFile()) return undefined;
  return there.isDirectory()
    ? "a folder"
    : there.isSymbolicLink()
      ? "a link"
      : "not a regular file";
}
