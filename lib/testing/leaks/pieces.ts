import { isUtf8 } from "node:buffer";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { constants, gunzipSync } from "node:zlib";
import { unzipSync } from "fflate";
import { errorCodeOf } from "../../tokens";

/** Bytes to search, with their place. */
export interface Piece {
  readonly where: string;
  readonly bytes: Buffer;
}

/** A part that could not be searched. A scan that silently skips parts would prove nothing. */
export interface NotScanned {
  readonly where: string;
  readonly reason: string;
}

/** Bytes to search, or the reason why they cannot be searched. */
type Found = Piece | NotScanned;

/** Larger contents are not read. */
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_DEPTH = 4;

/** The beginnings of what is packed or encrypted, and not searched. */
const CLOSED: Readonly<Record<string, string>> = {
  "7z": "7z\xbc\xaf\x27\x1c",
  age: "age-encryption.org/",
  bzip2: "BZh",
  "a pack of Git": "PACK\0\0\0",
  "OpenSSL (encrypted)": "Salted__",
  rar: "Rar!\x1a\x07",
  xz: "\xfd7zXZ\0",
  zlib: "\x78\x9c",
  zstd: "\x28\xb5\x2f\xfd",
};

/**
 * All files below a folder, and the targets of its links, which are not followed. The path may be a
 * file. The same file under several names (hard links) is read once.
 */
export function* piecesOfFolder(path: string, seen: Set<string>): Iterable<Found> {
  // Names can contain a secret as well.
  yield { where: `the name of ${path}`, bytes: Buffer.from(basename(path)) };
  try {
    const stats = lstatSync(path);
    const identity = `${stats.dev}:${stats.ino}`;
    if (stats.isDirectory())
      for (const name of readdirSync(path).sort()) yield* piecesOfFolder(join(path, name), seen);
    else if (stats.isSymbolicLink())
      yield { where: `the target of ${path}`, bytes: Buffer.from(readlinkSync(path)) };
    // Opening a pipe would wait for its other end.
    else if (!stats.isFile()) yield { where: path, reason: "not a regular file" };
    else if (stats.size > MAX_BYTES)
      yield { where: path, reason: `larger than ${MAX_BYTES} bytes` };
    else if (!seen.has(identity)) yield { where: path, bytes: readFileSync(path) };
    seen.add(identity);
  } catch (error) {
    yield { where: path, reason: errorCodeOf(error) ?? "unreadable" };
  }
}

/** The bytes themselves, and the content of what is packed in them, even nested. */
export function* unpack(found: Found, depth = 0): Iterable<Found> {
  yield found;
  if ("reason" in found) return;
  const { bytes, where } = found;
  const head = bytes.toString("latin1", 0, 16);
  const closed = Object.keys(CLOSED).find((name) => head.startsWith(`${CLOSED[name]}`));
  const format = head.startsWith("PK\x03\x04") ? "zip" : head.startsWith("\x1f\x8b") && "gzip";
  if (closed !== undefined && !isUtf8(bytes))
    return yield { where, reason: `cannot be unpacked: ${closed}` };
  if (!format) return;
  if (depth === MAX_DEPTH) return yield { where, reason: `packed more than ${MAX_DEPTH} times` };
  try {
    for (const [name, content] of format === "zip" ? unzip(bytes) : [["", gunzip(bytes)] as const])
      yield* unpack({ where: `${where} (${format}${name})`, bytes: content }, depth + 1);
  } catch {
    yield {
      where,
      reason: `a ${format} that is damaged, encrypted or larger than ${MAX_BYTES} bytes`,
    };
  }
}

/** A stream that is cut off is searched as far as possible. */
const gunzip = (bytes: Buffer) =>
  gunzipSync(bytes, { maxOutputLength: MAX_BYTES, finishFlush: constants.Z_SYNC_FLUSH });

const DIRECTORY_HEADER = Buffer.from("PK\x01\x02");

function unzip(bytes: Buffer): (readonly [name: string, content: Buffer])[] {
  let listed = 0;
  const files = unzipSync(bytes, {
    filter: ({ originalSize }) => originalSize <= MAX_BYTES && ++listed > 0,
  });
  const contents = Object.entries(files).map(
    ([name, content]) => [`: ${name}`, Buffer.from(content)] as const,
  );
  let headers = 0;
  let at = bytes.indexOf(DIRECTORY_HEADER);
  for (; at >= 0; at = bytes.indexOf(DIRECTORY_HEADER, at + 4)) {
    headers += 1;
    if ((bytes[at + 8] ?? 0) & 1) throw new Error("encrypted");
  }
  // Two files of one name, one that is too large, or a second archive.
  if (headers !== contents.length || listed !== contents.length) throw new Error("incomplete");
  return contents;
}
