import { randomBytes } from "node:crypto";
import { accessSync, constants, lstatSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { IamTokensError, quote } from "../tokens";

/**
 * Writes a file that the user has named: whole or not at all. One that is there is replaced;
 * anything but a file is refused, also a link, which could lead anywhere.
 *
 * @param mode permission bits; by default as the umask has it
 * @throws ERR_OUTPUT_FILE
 */
export function writeOutputFile(path: string, content: string, mode = 0o666): void {
  const shown = quote(path);
  let temporary: string | undefined;
  try {
    const what = notAFile(path);
    if (what !== undefined) throw new IamTokensError("ERR_OUTPUT_FILE", `${shown} is ${what}.`);
    const name = `.${basename(path)}.${randomBytes(6).toString("hex")}`;
    temporary = join(dirname(path), name);
    writeFileSync(temporary, content, { flag: "wx", mode });
    renameSync(temporary, path);
  } catch (error) {
    if (temporary !== undefined) rmSync(temporary, { force: true });
    if (IamTokensError.is(error)) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new IamTokensError("ERR_OUTPUT_FILE", `${shown} cannot be written (${code}).`, {
      cause: error,
    });
  }
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
    problem = `cannot be written (${(error as NodeJS.ErrnoException).code ?? "unknown error"})`;
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
