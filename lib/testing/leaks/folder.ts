import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { errorCodeOf } from "../../tokens";
import { type Found, MAX_UNPACKED_BYTES } from "./piece";

/** The same file under several names (hard links) is read once. */
export type SeenFiles = Set<string>;

/**
 * All files below a folder, and the targets of its links, which are not followed. The path may be a
 * file.
 */
export function* piecesOfFolder(path: string, seen: SeenFiles): Iterable<Found> {
  // Names can contain a secret as well.
  yield { where: `the name of ${path}`, bytes: Buffer.from(basename(path)) };
  try {
    const stats = lstatSync(path);
    if (stats.isDirectory())
      for (const name of readdirSync(path).sort()) yield* piecesOfFolder(join(path, name), seen);
    else if (stats.isSymbolicLink())
      yield { where: `the target of ${path}`, bytes: Buffer.from(readlinkSync(path)) };
    // Opening a pipe would wait for its other end.
    else if (!stats.isFile()) yield { where: path, reason: "not a regular file" };
    else if (stats.size > MAX_UNPACKED_BYTES)
      yield { where: path, reason: `larger than ${MAX_UNPACKED_BYTES} bytes` };
    else {
      const identity = `${stats.dev}:${stats.ino}`;
      if (!seen.has(identity)) yield { where: path, bytes: readFileSync(path) };
      seen.add(identity);
    }
  } catch (error) {
    yield { where: path, reason: errorCodeOf(error) ?? "unreadable" };
  }
}
