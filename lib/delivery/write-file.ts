import { randomBytes } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { IamTokensError } from "../tokens";

/**
 * Runs something that writes, and turns an error of the file system into ERR_WRITE_FAILED with path
 * and errno.
 *
 * @param path what to name when the error itself names none
 */
export function writing<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (IamTokensError.is(error)) throw error;
    const { code, path: failed, syscall } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new IamTokensError(
      "ERR_WRITE_FAILED",
      `${failed ?? path} cannot be written: ${code}${syscall ? ` (${syscall})` : ""}.`,
      {
        cause: error,
      },
    );
  }
}

/**
 * Writes a file whole or not at all: a reader, or a full disk, never meets half of one. It is a new
 * file that nobody has open, which then takes the place of what is there.
 *
 * @param mode permission bits, less those of the umask
 * @param temporary where it is written first: a name in the same folder that nothing has
 */
export function replaceFile(
  path: string,
  content: string,
  mode = 0o666,
  temporary = `${path}.${randomBytes(6).toString("hex")}`,
): void {
  try {
    writeFileSync(temporary, content, { flag: "wx", mode });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    // The user knows the file, and not the name beside it.
    throw Object.assign(error as NodeJS.ErrnoException, { path });
  }
}
