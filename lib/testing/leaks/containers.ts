import { constants, gunzipSync } from "node:zlib";
import { readZipEntries } from "./zip-entries";

/** Bytes to search, and where they are. */
export interface Piece {
  readonly where: string;
  readonly bytes: Buffer;
}

/** What could not be searched. A scan that passes something over in silence would prove nothing. */
export interface NotScanned {
  readonly where: string;
  readonly reason: string;
}

/** Larger contents are not unpacked. */
export const MAX_UNPACKED_BYTES = 256 * 1024 * 1024;
const MAX_DEPTH = 4;

/** The bytes themselves, and what is packed in them (gzip, zip, one inside the other). */
export function* unpack(
  piece: Piece,
  notScanned: (what: NotScanned) => void,
  depth = 0,
): Iterable<Piece> {
  yield piece;
  const { bytes, where } = piece;
  const gzip = bytes.length > 18 && bytes.readUInt16BE(0) === 0x1f8b && bytes[2] === 8;
  const zip = bytes.length >= 22 && bytes.readUInt32BE(0) === 0x504b0304;
  if (!gzip && !zip) return;
  if (depth === MAX_DEPTH) {
    notScanned({ where, reason: `packed more than ${MAX_DEPTH} times` });
    return;
  }
  for (const inner of gzip ? gunzip(piece, notScanned) : unzip(piece, notScanned))
    yield* unpack(inner, notScanned, depth + 1);
}

function* gunzip({ bytes, where }: Piece, notScanned: (what: NotScanned) => void): Iterable<Piece> {
  try {
    // What was cut off is searched as far as it goes.
    const content = gunzipSync(bytes, {
      maxOutputLength: MAX_UNPACKED_BYTES,
      finishFlush: constants.Z_SYNC_FLUSH,
    });
    yield { where: `${where} (gzip)`, bytes: content };
  } catch {
    notScanned({
      where,
      reason: `damaged gzip, or larger than ${MAX_UNPACKED_BYTES} bytes unpacked`,
    });
  }
}

function* unzip({ bytes, where }: Piece, notScanned: (what: NotScanned) => void): Iterable<Piece> {
  const entries = readZipEntries(bytes, MAX_UNPACKED_BYTES);
  if (entries === undefined) {
    notScanned({ where, reason: "damaged zip, or one of a kind that is not read" });
    return;
  }
  for (const { name, read } of entries) {
    const content = read();
    const inside = `${where} (zip: ${name})`;
    if (Buffer.isBuffer(content)) yield { where: inside, bytes: content };
    else notScanned({ where: inside, reason: content.unreadable });
  }
}
