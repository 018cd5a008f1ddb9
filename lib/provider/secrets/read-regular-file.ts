import { constants, type Stats } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { errorCodeOf } from "../../tokens";

/** Maximum size of a file that is read: far above the real ones. */
export const FILE_LIMIT_BYTES = 1024 * 1024;

/** The content of a file, or the reason why there is none. */
export type FileReading =
  | { readonly content: Buffer }
  | { readonly failure: "missing" | "unreadable" | "too large"; readonly why: string };

/**
 * Reads a regular file of at most 1 MiB, or up to another limit.
 *
 * A directory, FIFO, socket or device is refused without being opened: opening a FIFO waits for a
 * writer, and opening a device can have effects.
 */
export async function readRegularFile(
  path: string,
  limit = FILE_LIMIT_BYTES,
): Promise<FileReading> {
  let handle: FileHandle | undefined;
  try {
    const before = kindOf(await stat(path));
    if (before !== undefined) return { failure: "unreadable", why: `is ${before}` };
    // The path may have become a FIFO: open it without waiting, and check again.
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const opened = kindOf(await handle.stat());
    if (opened !== undefined) return { failure: "unreadable", why: `is ${opened}` };
    const content = await readAtMost(handle, limit + 1);
    return content.length > limit
      ? { failure: "too large", why: `is larger than ${limit / 1024 / 1024} MiB` }
      : { content };
  } catch (error) {
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
