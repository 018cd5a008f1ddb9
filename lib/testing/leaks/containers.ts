import { isUtf8 } from "node:buffer";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { LIMITS, MAX_UNPACKED_BYTES, type Piece, type Skip } from "./piece";
import { isTar, untar } from "./tar";
import { isZip, unzip } from "./zip";

const MAX_DEPTH = 4;

/** Packed or encrypted, and not searched: a beginning of each, with its position. */
const CLOSED: Readonly<Record<string, readonly [at: number, text: string]>> = {
  "7z": [0, "7z\xbc\xaf\x27\x1c"],
  age: [0, "age-encryption.org/"],
  ar: [0, "!<arch>\n"],
  bzip2: [4, "1AY&SY"],
  compress: [0, "\x1f\x9d"],
  cpio: [0, "07070"],
  "a pack of Git": [0, "PACK\0\0\0"],
  lz4: [0, '\x04"M\x18'],
  lzip: [0, "LZIP\x01"],
  lzma: [0, "\x5d\0\0"],
  "OpenSSL (encrypted)": [0, "Salted__"],
  rar: [0, "Rar!\x1a\x07"],
  snappy: [0, "\xff\x06\0\0sNaPpY"],
  xz: [0, "\xfd7zXZ\0"],
  zstd: [0, "\x28\xb5\x2f\xfd"],
};

/** The bytes themselves, and the content of what is packed in them, even nested. */
export function* unpack(piece: Piece, skip: Skip, depth = 0): Iterable<Piece> {
  yield piece;
  const { bytes, where } = piece;
  const head = bytes.toString("latin1", 0, 32);
  const closed = Object.entries(CLOSED).find(([, [at, text]]) => head.startsWith(text, at));
  if (closed !== undefined) return skip({ where, reason: `cannot be unpacked: ${closed[0]}` });
  const inside = insideOf(piece, head, skip);
  if (inside === undefined) return;
  if (depth === MAX_DEPTH) return skip({ where, reason: `packed more than ${MAX_DEPTH} times` });
  for (const inner of inside) yield* unpack(inner, skip, depth + 1);
}

/** Undefined if nothing is packed. */
function insideOf(piece: Piece, head: string, skip: Skip): Iterable<Piece> | undefined {
  const { bytes, where } = piece;
  if (head.startsWith("\x1f\x8b\x08")) return inflated(piece, "gzip", gunzipSync, skip);
  if (isTar(bytes)) return untar(piece, skip);
  if (isZip(bytes)) return unzip(piece, skip);
  // The others have no sign with which a text could not begin.
  if (isText(bytes)) return undefined;
  const isZlib = bytes.length > 1 && bytes[0] === 0x78 && bytes.readUInt16BE(0) % 31 === 0;
  if (isZlib || isWhole(inflateSync, bytes)) return inflated(piece, "zlib", inflateSync, skip);
  if (where.endsWith(".br") || isWhole(brotliDecompressSync, bytes))
    return inflated(piece, "brotli", brotliDecompressSync, skip);
  return undefined;
}

type Decode = (bytes: Buffer, limits: Partial<typeof LIMITS>) => Buffer;

function* inflated(piece: Piece, format: string, decode: Decode, skip: Skip): Iterable<Piece> {
  const { bytes, where } = piece;
  try {
    yield { where: `${where} (${format})`, bytes: decode(bytes, LIMITS) };
  } catch {
    const reason = `damaged ${format}, or larger than ${MAX_UNPACKED_BYTES} bytes unpacked`;
    return skip({ where, reason });
  }
  if (hasEnd(decode, bytes.subarray(0, -1)))
    skip({ where, reason: `something follows the end of the ${format}` });
}

/** Whether the bytes are of this format, with its end as their last byte. */
function isWhole(decode: Decode, bytes: Buffer): boolean {
  return hasEnd(decode, bytes) && !hasEnd(decode, bytes.subarray(0, -1));
}

function hasEnd(decode: Decode, bytes: Buffer): boolean {
  try {
    decode(bytes, { maxOutputLength: MAX_UNPACKED_BYTES });
    return true;
  } catch {
    return false;
  }
}

function isText(bytes: Buffer): boolean {
  const isPrinted = (byte: number) => byte > 31 || byte === 27 || (byte > 8 && byte < 14);
  return isUtf8(bytes) && bytes.subarray(0, 1024).every(isPrinted);
}
