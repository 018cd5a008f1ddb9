import { constants, gunzipSync, inflateRawSync } from "node:zlib";

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

/** Larger contents are not unpacked. */
export const MAX_UNPACKED_BYTES = 256 * 1024 * 1024;
const MAX_DEPTH = 4;

/** What is cut off is searched as far as possible. */
const LIMITS = {
  maxOutputLength: MAX_UNPACKED_BYTES,
  finishFlush: constants.Z_SYNC_FLUSH,
};

/** The bytes themselves, and the content of gzip and zip in them, even nested. */
export function* unpack(
  piece: Piece,
  notScanned: (what: NotScanned) => void,
  depth = 0,
): Iterable<Piece> {
  yield piece;
  const { bytes, where } = piece;
  const gzip = bytes.length > 18 && bytes.readUInt16BE(0) === 0x1f8b && bytes[2] === 8;
  const zip = bytes.length >= 30 && bytes.indexOf(LOCAL_HEADER) === 0;
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
    yield { where: `${where} (gzip)`, bytes: gunzipSync(bytes, LIMITS) };
  } catch {
    notScanned({
      where,
      reason: `damaged gzip, or larger than ${MAX_UNPACKED_BYTES} bytes unpacked`,
    });
  }
}

const LOCAL_HEADER = Buffer.from("PK\x03\x04");
const END_RECORD = Buffer.from("PK\x05\x06");
const DEFLATED = 8;

/** The files in a zip: stored or deflated, as in Terraform's plan files. */
function* unzip({ bytes, where }: Piece, notScanned: (what: NotScanned) => void): Iterable<Piece> {
  let at = 0;
  while (at >= 0 && at + 30 <= bytes.length) {
    const isEncrypted = (bytes.readUInt16LE(at + 6) & 1) !== 0;
    const method = bytes.readUInt16LE(at + 8);
    // Zero if it stands behind the data.
    const size = bytes.readUInt32LE(at + 18);
    const afterName = at + 30 + bytes.readUInt16LE(at + 26);
    const from = afterName + bytes.readUInt16LE(at + 28);
    const inside = `${where} (zip: ${bytes.toString("utf8", at + 30, afterName)})`;
    const packed = bytes.subarray(from, size === 0 ? undefined : from + size);
    const skip = (reason: string) => notScanned({ where: inside, reason });
    if (isEncrypted) skip("the zip entry is encrypted");
    else if (method === 0) yield { where: inside, bytes: packed };
    else if (method !== DEFLATED) skip(`the zip entry is compressed by method ${method}`);
    else {
      try {
        yield { where: inside, bytes: inflateRawSync(packed, LIMITS) };
      } catch {
        skip(`the zip entry is damaged, or larger than ${MAX_UNPACKED_BYTES} bytes`);
      }
    }
    at = bytes.indexOf(LOCAL_HEADER, from + size);
  }
  if (!bytes.includes(END_RECORD)) notScanned({ where, reason: "the zip is cut off" });
}
