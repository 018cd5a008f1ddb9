import { randomBytes } from "node:crypto";
import { accessSync, constants, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { IamTokensError, quote } from "../tokens";

/**
 * Sees that a file could be written, before anything is done that it should tell of.
 *
 * @throws ERR_USAGE
 */
export function assertWritable(option: string, path: string): void {
  let problem: string | undefined;
  try {
    accessSync(dirname(path), constants.W_OK | constants.X_OK);
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) problem = "is a folder";
  } catch (error) {
    problem = `cannot be written (${(error as NodeJS.ErrnoException).code ?? "unknown error"})`;
  }
  if (problem === undefined) return;
  throw new IamTokensError("ERR_USAGE", `${option} names ${quote(path)}, which ${problem}.`, {
    remedy: "Give the path of a file in a folder that is there and may be written to.",
  });
}

/** Writes a file that only its owner can read; at once, so that no reader sees half of it. */
export function writeOwnerOnly(path: string, text: string): void {
  const fresh = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    writeFileSync(fresh, text, { mode: 0o600, flag: "wx" });
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}
