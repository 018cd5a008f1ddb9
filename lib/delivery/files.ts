import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { errorCodeOf, IamTokensError, printable } from "../tokens";

/** The entry at a path, not the target of a link; undefined if there is none. */
export function statsAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/**
 * Far above real ones: a lock entry has 2 KiB, a token 32, and a stack's configuration a few MiB.
 */
const LIMIT_BYTES = 64 * 1024 * 1024;

/**
 * The content of a regular file. It does not wait for a FIFO, and does not read endless files.
 *
 * @returns undefined if there is no such file, or it cannot be read or is too large
 */
function readBytes(path: string, limitBytes = LIMIT_BYTES): Buffer | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size > limitBytes) return undefined;
    const content = Buffer.alloc(stats.size);
    return content.subarray(0, readSync(file, content));
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** The same as a string. */
export function readText(path: string): string | undefined {
  return readBytes(path)?.toString("utf8");
}

/** Whether there is a regular file with exactly this content. */
export function isFileWith(path: string, content: Buffer): boolean {
  return readBytes(path, content.length)?.equals(content) === true;
}

/**
 * Refuses a link on the way to what is written: it would be written, or removed, where the link
 * leads, which may be anywhere in a checkout of somebody else.
 *
 * @param folder from which the way leads through these names: its own path may contain links
 * @throws ERR_WRITE_FAILED
 */
export function refuseLinks(folder: string, names: readonly string[]): void {
  const paths = names.map((_, index) => join(folder, ...names.slice(0, index + 1)));
  const link = paths.find((path) => statsAt(path)?.isSymbolicLink());
  if (link === undefined) return;
  throw new IamTokensError(
    "ERR_WRITE_FAILED",
    `${printable(link)} is a link: nothing is written or removed where it leads.`,
    { remedy: "Remove the link, then synthesize again." },
  );
}

/** The value in a file of JSON; undefined if it cannot be read. */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(String(readText(path)));
  } catch {
    return undefined;
  }
}

/**
 * Runs an action that writes, and turns an error of the file system into ERR_WRITE_FAILED with path
 * and errno.
 *
 * @param path path for the message if the error has none
 */
export function writing<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    const { code, path: failed, syscall } = error as NodeJS.ErrnoException;
    if (code === undefined || IamTokensError.is(error)) throw error;
    throw new IamTokensError(
      "ERR_WRITE_FAILED",
      `${printable(failed ?? path)} cannot be written: ${code}${syscall ? ` (${syscall})` : ""}.`,
      { cause: error },
    );
  }
}

/** The names in a folder; none if there is no folder. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const code = errorCodeOf(error);
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
    return [];
  }
}

/**
 * Makes a folder and those above it. Not with `recursive`: if a folder cannot be created although
 * its parent exists (/proc, automounts), Node.js tries forever.
 */
export function makeFolders(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  const above = dirname(folder);
  // There is nothing above a drive or a share, even one that does not exist.
  if (above !== folder) makeFolders(above);
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another synthesis was faster.
    if (errorCodeOf(error) !== "EEXIST") throw error;
  }
}

/**
 * Repeats, at most ten times, an action that fails because another synthesis does the same at the
 * same time.
 */
export function persistently<T>(action: () => T, isPassing: (error: unknown) => boolean): T {
  for (let left = 10; ; left--) {
    try {
      return action();
    } catch (error) {
      if (left === 0 || !isPassing(error)) throw error;
    }
  }
}

/** A path that nothing has: this beginning, and six random bytes. */
export function unusedPath(beginning: string): string {
  return `${beginning}${randomBytes(6).toString("hex")}`;
}

/**
 * Writes a file completely or not at all: readers never see half of one, even on a full disk. It is
 * a new file that nobody has open, which then replaces the existing one.
 *
 * @param mode permission bits, reduced by the umask
 * @param temporary where it is written first: an unused name in the same folder
 */
export function replaceFile(
  path: string,
  content: string | Uint8Array,
  mode = 0o666,
  temporary = unusedPath(`${path}.`),
): void {
  try {
    writeFileSync(temporary, content, { flag: "wx", mode });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    // The user knows the file, but not the temporary name.
    throw Object.assign(error as NodeJS.ErrnoException, { path });
  }
}
