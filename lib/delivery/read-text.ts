import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/**
 * The content of a regular file up to this size. It does not wait for a FIFO, and does not read
 * endless files.
 *
 * @returns undefined if there is no such file, or it cannot be read
 */
export function readText(path: string, limitBytes: number): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size > limitBytes) return undefined;
    const content = Buffer.alloc(stats.size);
    return content.toString("utf8", 0, readSync(file, content));
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
