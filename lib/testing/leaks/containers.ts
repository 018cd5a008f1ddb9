import { isUtf8 } from "node:buffer";
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import { type Decode, decoded, type Found, type Piece, unpacked } from "./piece";
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

/** A format that contains other pieces. */
interface Format {
  readonly is: (piece: Piece) => boolean;
  readonly inside: (piece: Piece) => Iterable<Found>;
}

/** The bytes themselves, and the content of what is packed in them, even nested. */
export function* unpack(found: Found, depth = 0): Iterable<Found> {
  yield found;
  if ("reason" in found) return;
  const { bytes, where } = found;
  const head = bytes.toString("latin1", 0, 32);
  const closed = Object.entries(CLOSED).find(([, [at, text]]) => head.startsWith(text, at));
  if (closed !== undefined) yield { where, reason: `cannot be unpacked: ${closed[0]}` };
  const format = closed ? undefined : FORMATS.find(({ is }) => is(found));
  for (const inner of format?.inside(found) ?? []) {
    if (depth < MAX_DEPTH) yield* unpack(inner, depth + 1);
    else return yield { where, reason: `packed more than ${MAX_DEPTH} times` };
  }
}

/** Recognized by its sign, or because all of it is one. */
function stream(name: string, decode: Decode, isSigned: Format["is"]): Format {
  const hasEnd = (bytes: Buffer) => decoded(decode, bytes, {}) !== undefined;
  const hasMore = (bytes: Buffer) => hasEnd(bytes.subarray(0, -1));
  return {
    is: (piece) => isSigned(piece) || (hasEnd(piece.bytes) && !hasMore(piece.bytes)),
    *inside({ bytes, where }) {
      yield unpacked(where, name, decode, bytes);
      if (hasMore(bytes)) yield { where, reason: `something follows the end of the ${name}` };
    },
  };
}

const isZlib: Format["is"] = ({ bytes }) =>
  bytes.length > 1 && bytes[0] === 0x78 && bytes.readUInt16BE(0) % 31 === 0;

function isText({ bytes }: Piece): boolean {
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
    const isWhole = decoded(gunzipSync, line, {}) !== undefined;
    yield unpacked(where, "gzip in base64", gunzipSync, isWhole ? line : fromBase64(text));
  }
}

/** The first that fits counts. The signs of those after text could also begin a text. */
const FORMATS: readonly Format[] = [
  stream("gzip", gunzipSync, ({ bytes }) => bytes.toString("latin1", 0, 3) === "\x1f\x8b\x08"),
  { is: isTar, inside: untar },
  { is: isZip, inside: unzip },
  { is: isText, inside: gzipInText },
  stream("zlib", inflateSync, isZlib),
  stream("deflate", inflateRawSync, () => false),
  stream("brotli", brotliDecompressSync, ({ where }) => where.endsWith(".br")),
];
