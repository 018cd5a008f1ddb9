import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, realpath } from "node:fs/promises";
import { errorCodeOf, IamTokensError } from "../../tokens";
import { realPathOf } from "../process/own-folder";

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

/** How often a file that is replaced meanwhile is read again. */
const AGAIN = 3;

/**
 * Reads a regular file of at most 1 MiB, or up to another limit: its real path, without links, is
 * judged, and that is opened.
 *
 * A directory, FIFO, socket or device is refused without being opened: opening a FIFO waits for a
 * writer, and opening a device can have effects. If a link above the file leads elsewhere
 * meanwhile, as where Kubernetes renews a secret, everything happens once more.
 */
export async function readRegularFile(
  path: string,
  { limit = FILE_LIMIT_BYTES, rule }: ReadOptions = {},
): Promise<FileReading> {
  for (let again = AGAIN; ; again -= 1) {
    let judged: string | undefined;
    const isLast = again === 0;
    try {
      const reading = await readOnce(path, limit, (real) => {
        judged = real;
        rule?.(real);
      });
      const isMissing = "failure" in reading && reading.failure === "missing";
      if (isLast || !isMissing || realPathOf(path) === undefined) return reading;
    } catch (error) {
      if (isLast || realPathOf(path) === judged) throw error;
    }
  }
}

async function readOnce(path: string, limit: number, judge: FileRule): Promise<FileReading> {
  let handle: FileHandle | undefined;
  try {
    const real = await realpath(path);
    judge(real);
    const kind = kindOf(await lstat(real));
    if (kind !== undefined) return { failure: "unreadable", why: `is ${kind}` };
    // A FIFO or a link may have taken its place: neither waits, nor is followed.
    const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW = 0 } = constants;
    handle = await open(real, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    const opened = kindOf(await handle.stat());
    if (opened !== undefined) return { failure: "unreadable", why: `is ${opened}` };
    const content = await readAbout(handle, limit);
    return content.length > limit
      ? { failure: "too large", why: `is larger than ${sizeIn(limit)}` }
      : { content, path: real };
  } catch (error) {
    if (IamTokensError.is(error)) throw error;
    const code = errorCodeOf(error);
    // What a shell writes for `<(command)` has no real path.
    if (OF_PROCESS.test(path)) return { failure: "unreadable", why: `is ${PIPE}` };
    return code === "ENOENT" || code === "ENOTDIR"
      ? { failure: "missing", why: "does not exist" }
      : { failure: "unreadable", why: `cannot be read (${code})` };
  } finally {
    await handle?.close();
  }
}

const sizeIn = (bytes: number) =>
  bytes < FILE_LIMIT_BYTES ? `${bytes / 1024} KiB` : `${bytes / FILE_LIMIT_BYTES} MiB`;

const PIPE = "a pipe, which is not read: give a file (sops exec-file does with --no-fifo)";
const OF_PROCESS = /^\/(?:dev|proc\/[^/]+)\/fd\//;

function kindOf(stats: Stats): string | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isDirectory()) return "a directory";
  if (stats.isFIFO()) return PIPE;
  return stats.isSocket() ? "a socket" : "a device";
}

/**
 * All, or somewhat more than the limit. Ignores the size from stat: files in /proc have none, and
 * others may grow.
 */
async function readAbout(handle: FileHandle, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let left = limit; left >= 0; ) {
    const chunk = Buffer.alloc(64 * 1024);
    // Under Yarn's Plug'n'Play, a call without these arguments reads nothing.
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) break;
    chunks.push(chunk.subarray(0, bytesRead));
    left -= bytesRead;
  }
  return Buffer.concat(chunks);
}
