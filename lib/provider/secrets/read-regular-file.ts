import { constants, type Stats } from "node:fs";
import { type FileHandle, open, readlink, realpath, stat } from "node:fs/promises";
import { errorCodeOf, IamTokensError } from "../../tokens";

/** Maximum size of a file that is read: far above the real ones. */
export const FILE_LIMIT_BYTES = 1024 * 1024;

/** Throws for a real path that may not be read. */
export type FileRule = (realPath: string) => Promise<void>;

/** The content of a file, or the reason why there is none. */
export type FileReading =
  | { readonly content: Buffer }
  | { readonly failure: "missing" | "unreadable" | "too large"; readonly why: string };

/**
 * Reads a regular file of at most 1 MiB, or up to another limit.
 *
 * A directory, FIFO, socket or device is refused without being opened: opening a FIFO waits for a
 * writer, and opening a device can have effects.
 *
 * @param rule throws for a real path that may not be read. It is checked for the path, and again
 * for the file that was opened: a link may have been put in its place.
 */
export async function readRegularFile(
  path: string,
  { limit = FILE_LIMIT_BYTES, rule }: { limit?: number; rule?: FileRule } = {},
): Promise<FileReading> {
  await rule?.(await realpath(path).catch(() => path));
  let handle: FileHandle | undefined;
  try {
    const before = kindOf(await stat(path));
    if (before !== undefined) return { failure: "unreadable", why: `is ${before}` };
    // The path may have become a FIFO: open it without waiting, and check again.
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const opened = kindOf(await handle.stat());
    if (opened !== undefined) return { failure: "unreadable", why: `is ${opened}` };
    const real = rule && (await placeOf(handle, path));
    if (rule && real === undefined)
      return { failure: "unreadable", why: "was replaced while it was opened" };
    if (rule && real !== undefined) await rule(real);
    const content = await readAtMost(handle, limit + 1);
    return content.length > limit
      ? { failure: "too large", why: `is larger than ${limit / 1024 / 1024} MiB` }
      : { content };
  } catch (error) {
    if (IamTokensError.is(error)) throw error;
    return failureOf(error);
  } finally {
    await handle?.close();
  }
}

/** Ignores the size from stat: files in /proc have none, and others may grow. */
async function readAtMost(handle: FileHandle, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let total = 0; total < limit; ) {
    const chunk = Buffer.alloc(Math.min(64 * 1024, limit - total));
    // Under Yarn's Plug'n'Play, a call without these arguments reads nothing.
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) break;
    chunks.push(chunk.subarray(0, bytesRead));
    total += bytesRead;
  }
  return Buffer.concat(chunks);
}

/** The real path of an open file: the kernel's, otherwise the path's, if it is that file. */
async function placeOf(handle: FileHandle, path: string): Promise<string | undefined> {
  if (process.platform === "linux") {
    const own = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
    if (own !== undefined) return own;
  }
  const real = await realpath(path);
  const [opened, there] = [await handle.stat(), await stat(real)];
  return opened.dev === there.dev && opened.ino === there.ino ? real : undefined;
}

function kindOf(stats: Stats): string | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isDirectory()) return "a directory";
  if (stats.isFIFO()) return "a FIFO";
  return stats.isSocket() ? "a socket" : "a device";
}

function failureOf(error: unknown): FileReading {
  const code = errorCodeOf(error);
  if (code === "ENOENT" || code === "ENOTDIR") return { failure: "missing", why: "does not exist" };
  return { failure: "unreadable", why: `cannot be read${code === undefined ? "" : ` (${code})`}` };
}
