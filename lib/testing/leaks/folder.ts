import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from "node:fs";
import { basename, join } from "node:path";
import { errorCodeOf } from "../../tokens";
import { MAX_UNPACKED_BYTES, type Piece, type Skip } from "./piece";

/** The same file under several names (hard links) is read once. */
export type SeenFiles = Set<string>;

/**
 * All files below a folder, and the targets of its links, which are not followed. The path may be a
 * file.
 */
export function* piecesOfFolder(path: string, seen: SeenFiles, skip: Skip): Iterable<Piece> {
  // Names can contain a secret as well.
  yield { where: `the name of ${path}`, bytes: Buffer.from(basename(path)) };
  try {
    const stats = lstatSync(path);
    if (stats.isDirectory()) {
      for (const name of readdirSync(path).sort())
        yield* piecesOfFolder(join(path, name), seen, skip);
    } else {
      yield* piecesOfEntry(path, stats, seen, skip);
    }
  } catch (error) {
    skip({ where: path, reason: errorCodeOf(error) ?? "unreadable" });
  }
}

function* piecesOfEntry(path: string, stats: Stats, seen: SeenFiles, skip: Skip): Iterable<Piece> {
  if (stats.isSymbolicLink()) {
    yield { where: `the target of ${path}`, bytes: Buffer.from(readlinkSync(path)) };
  } else if (!stats.isFile()) {
    // Opening a pipe would wait for its other end.
    skip({ where: path, reason: "not a regular file" });
  } else if (stats.size > MAX_UNPACKED_BYTES) {
    skip({ where: path, reason: `larger than ${MAX_UNPACKED_BYTES} bytes` });
  } else {
    const identity = `${stats.dev}:${stats.ino}`;
    if (seen.has(identity)) return;
    seen.add(identity);
    yield { where: path, bytes: readFileSync(path) };
  }
}
