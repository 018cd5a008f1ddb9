import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, sep } from "node:path";

// A secret that Kubernetes mounts: `token` leads to `..data/token`, and `..data` to a folder such
// as `..2026_11_26_10_00_00.1`, which is replaced by another when the secret changes.

/**
 * Whether a file is, without links, still below the folder of its path, as that is written: where
 * the folder itself may be a link, whoever may replace it would select the file.
 */
export function staysInFolder(path: string, realPath: string): boolean {
  const above = dirname(path);
  const folder = basename(above) === "..data" ? dirname(above) : above;
  return realPath.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** The path without links; undefined if nothing is there. */
export function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** Whether something is at a path: a link that leads nowhere is. */
export function isThere(path: string): boolean {
  try {
    return lstatSync(path) !== undefined;
  } catch {
    return false;
  }
}
