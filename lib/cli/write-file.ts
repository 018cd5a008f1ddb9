import { randomBytes } from "node:crypto";
import { lstatSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { IamTokensError, quote } from "../tokens";

/**
 * Writes a file that the user has named: whole or not at all. One that is there is replaced; anything but a file is refused, also
 * a link, which could lead anywhere.
 *
 * @throws ERR_OUTPUT_FILE
 */
export function writeOutputFile(path: string, content: string): void {
  const shown = quote(path);
  let temporary: string | undefined;
  try {
    const there = lstatSync(path, { throwIfNoEntry: false });
    if (there !== undefined && !there.isFile()) {
      const what = there.isDirectory() ? "a folder" : there.isSymbolicLink() ? "a link" : "not a regular file";
      throw new IamTokensError("ERR_OUTPUT_FILE", `${shown} is ${what}.`);
    }
    const name = `.${basename(path)}.${randomBytes(6).toString("hex")}`;
    temporary = join(dirname(path), name);
    writeFileSync(temporary, content, { flag: "wx" });
    renameSync(temporary, path);
  } catch (error) {
    if (temporary !== undefined) rmSync(temporary, { force: true });
    if (IamTokensError.is(error)) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new IamTokensError("ERR_OUTPUT_FILE", `${shown} cannot be written (${code}).`, { cause: error });
  }
}
