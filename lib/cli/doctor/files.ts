import { readdirSync } from "node:fs";
import { type FileReading, readRegularFile } from "../../provider/secrets/read-regular-file";

/** Far above what people and programs write for Terraform. */
const LIMIT_BYTES = 64 * 1024 * 1024;

/**
 * Everything that the doctor reads of a project and a machine: a FIFO, a device or a file without
 * an end is a reason, and never waited for.
 */
export function readFile(path: string): Promise<FileReading> {
  return readRegularFile(path, LIMIT_BYTES);
}

/** What to do about a file that could not be read. */
export const PUT_A_FILE =
  "Put a regular file in its place, which the user who runs the command may read.";

/** The names in a folder; none when it cannot be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
