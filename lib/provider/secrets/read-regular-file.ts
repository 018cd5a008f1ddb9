import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { errorCodeOf, IamTokensError } from "../../tokens";
import { isThere } from "../process/own-folder";

/** Maximum size of a file that is read: far above the real ones. */
export const FILE_LIMIT_BYTES = 1024 * 1024;

/** Throws for a real path that may not be read. */
export type FileRule = (realPath: string) => void;

/** The content of a file with its real path, or the reason why there is none. */
export type FileReading =
  | { readonly content: Buffer; readonly path: string }
  | { readonly failure: "missing" | "unreadable" | "too large"; readonly why: string };

interface ReadOptions {
  readonly limit?: number;
  readonly rule?: FileRule;
}

/**
 * Reads a regular file of at most 1 MiB, or up to another limit: its real path, without links, is
 * judged, and that is opened. Nothing waits for the writer of a FIFO.
 */
export async function readRegularFile(
  path: string,
  { limit = FILE_LIMIT_BYTES, rule }: ReadOptions = {},
): Promise<FileReading> {
  let handle: FileHandle | undefined;
  try {
    const real = await realpath(path);
    rule?.(real);
    // A FIFO or a link may have taken its place: neither waits, nor is followed.
    const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW = 0 } = constants;
    handle = await open(real, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    if (!(await handle.stat()).isFile()) return { failure: "unreadable", why: NOT_REGULAR };
    // Its size from stat does not count: files in /proc have none, and others may grow.
    const bytes = Buffer.alloc(limit + 1);
    let length = 0;
    for (let count = 1; count > 0; length += count)
      count = (await handle.read(bytes, length, bytes.length - length, null)).bytesRead;
    return length > limit
      ? { failure: "too large", why: `is larger than ${sizeIn(limit)}` }
      : { content: bytes.subarray(0, length), path: real };
  } catch (error) {
    if (IamTokensError.is(error)) throw error;
    const code = errorCodeOf(error);
    // What a shell writes for `<(command)` has no real path.
    if (OF_PROCESS.test(path)) return { failure: "unreadable", why: NOT_REGULAR };
    if (code !== "ENOENT" && code !== "ENOTDIR")
      return { failure: "unreadable", why: `cannot be read (${code})` };
    // A mounted Secret that is just renewed, or not mounted: what is next in a search is another's.
    return isThere(path)
      ? { failure: "unreadable", why: "leads to no file: a link, or a file that is just replaced" }
      : { failure: "missing", why: "does not exist" };
  } finally {
    await handle?.close();
  }
}

const sizeIn = (bytes: number) =>
  bytes < FILE_LIMIT_BYTES ? `${bytes / 1024} KiB` : `${bytes / FILE_LIMIT_BYTES} MiB`;

const NOT_REGULAR =
  "is no regular file: a pipe, for one, is not read (sops exec-file gives a file with --no-fifo)";
const OF_PROCESS = /^\/(?:dev|proc\/[^/]+)\/fd\//;
