import { isUtf8 } from "node:buffer";
import { brotliDecompressSync, gunzipSync, inflateRawSync } from "node:zlib";
import { type Decode, decoded, type Found, type Piece, unpacked } from "./piece";
import { isZip, unzip } from "./zip";

const MAX_DEPTH = 4;

/** Packed or encrypted, and not searched: a part of each, with its position. */
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
  tar: [257, "ustar"],
  xz: [0, "\xfd7zXZ\0"],
  zstd: [0, "\x28\xb5\x2f\xfd"],
};

/** Not searched either. Without a sign: recognized because all of the piece is one. */
const UNSIGNED: Readonly<Record<string, (bytes: Buffer) => boolean>> = {
  // Two bytes, which could also begin a text.
  zlib: (bytes) => bytes.length > 1 && bytes[0] === 0x78 && bytes.readUInt16BE(0) % 31 === 0,
  deflate: (bytes) => isWhole(inflateRawSync, bytes) && !isMore(inflateRawSync, bytes),
  brotli: (bytes) => isWhole(brotliDecompressSync, bytes) && !isMore(brotliDecompressSync, bytes),
};

/** The bytes themselves, and the content of what is packed in them, even nested. */
export function* unpack(found: Found, depth = 0): Iterable<Found> {
  yield found;
  if ("reason" in found) return;
  for (const inner of inside(found)) {
    if ("reason" in inner || depth < MAX_DEPTH) yield* unpack(inner, depth + 1);
    else return yield { where: found.where, reason: `packed more than ${MAX_DEPTH} times` };
  }
}

function* inside(piece: Piece): Iterable<Found> {
  const { bytes, where } = piece;
  const head = bytes.toString("latin1", 0, 512);
  const signed = Object.entries(CLOSED).find(([, [at, text]]) => head.startsWith(text, at));
  if (signed !== undefined) yield { where, reason: `cannot be unpacked: ${signed[0]}` };
  else if (head.startsWith("\x1f\x8b\x08")) {
    yield unpacked(where, "gzip", gunzipSync, bytes);
    if (isMore(gunzipSync, bytes)) yield { where, reason: "something follows the end of the gzip" };
  } else if (isZip(piece)) yield* unzip(piece);
  else if (isText(bytes)) yield* gzipInText(piece);
  else {
    const unsigned = Object.entries(UNSIGNED).find(([, is]) => is(bytes));
    if (unsigned !== undefined) yield { where, reason: `cannot be unpacked: ${unsigned[0]}` };
  }
}

const isWhole = (decode: Decode, bytes: Buffer) => decoded(decode, bytes, {}) !== undefined;
/** Whether the stream ends before the bytes do. */
const isMore = (decode: Decode, bytes: Buffer) => isWhole(decode, bytes.subarray(0, -1));

function isText(bytes: Buffer): boolean {
  const isPrinted = (byte: number) => byte > 31 || byte === 27 || (byte > 8 && byte < 14);
  return isUtf8(bytes) && bytes.subarray(0, 1024).every(isPrinted);
}

/** From Terraform's `base64gzip`, or `gzip | base64`: with line breaks, and in JSON, as well. */
const GZIP_IN_BASE64 = /(?<![\w+/-])H4sI(?:[\w+/\r\n-]|\\[nr/])+/g;

function* gzipInText({ bytes, where }: Piece): Iterable<Found> {
  const fromBase64 = (text = "") => Buffer.from(text.replaceAll(/\\[nr]?/g, ""), "base64");
  for (const [text] of bytes.toString("latin1").matchAll(GZIP_IN_BASE64)) {
    // After a complete stream, the next line is not a part of it.
    const line = fromBase64(text.split(/[\r\n]|\\[rn]/)[0]);
    const packed = isWhole(gunzipSync, line) ? line : fromBase64(text);
    yield unpacked(where, "gzip in base64", gunzipSync, packed);
  }
}
