import { readdirSync, statSync } from "node:fs";
import { type FileReading, readRegularFile } from "../../provider/secrets/read-regular-file";

/** Far above the size of files that people and programs write for Terraform. */
const LIMIT_BYTES = 64 * 1024 * 1024;

/**
 * Reads a file of a project or a machine for the doctor. A FIFO, a device or an endless file gives
 * a reason, and is never waited for.
 */
export function readFile(path: string): Promise<FileReading> {
  return readRegularFile(path, { limit: LIMIT_BYTES });
}

/**
 * Whether a program that reads this path by itself could wait forever, or run out of memory: there
 * is neither nothing, nor a folder, nor a regular file of a usual size.
 */
export function mayHang(path: string): boolean {
  try {
    const there = statSync(path, { throwIfNoEntry: false });
    if (there === undefined || there.isDirectory()) return false;
    return !there.isFile() || there.size > LIMIT_BYTES;
  } catch {
    // It cannot be read either.
    return false;
  }
}

/** Remedy for a file that could not be read. */
export const REPLACE_WITH_FILE =
  "Replace it with a regular file that the user who runs the command may read.";

/** The names in a folder; none if it cannot be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
