import { inflateRawSync } from "node:zlib";
import { type Found, type Piece, unpacked } from "./piece";

const LOCAL_HEADER = Buffer.from("PK\x03\x04");
const DIRECTORY_HEADER = Buffer.from("PK\x01\x02");
const END_RECORD = Buffer.from("PK\x05\x06");
const END_RECORD_64 = Buffer.from("PK\x06\x06");
const LOCATOR_64 = Buffer.from("PK\x06\x07");

const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = 1;
/** The local header has no sizes: they stand behind the data. */
const SIZES_BEHIND = 8;
/** In the place of a value that has 64 bits, and stands elsewhere. */
const FULL = 0xffffffff;

/** Of each entry, the packed size, by the place of its local header. */
type PackedSizes = ReadonlyMap<number, number>;

/** Whether it is a zip, or ends with one: scripts and programs have them behind their own code. */
export function isZip({ bytes }: Piece): boolean {
  return isAt(bytes, 0, LOCAL_HEADER) || directoryOf(bytes) !== undefined;
}

/**
 * The files in a zip, stored or deflated. Each local header is one, also if the directory does not
 * name it; but only the directory always has the right size. No byte is read for two entries: the
 * work grows with the archive alone.
 */
export function* unzip({ bytes, where }: Piece): Iterable<Found> {
  const directory = directoryOf(bytes);
  if (directory === undefined && !bytes.includes(END_RECORD))
    yield { where, reason: "the zip is cut off" };

  const listed = new Map(directory);
  let at = bytes.indexOf(LOCAL_HEADER);
  while (at >= 0 && at + 30 <= bytes.length) {
    const flags = bytes.readUInt16LE(at + 6);
    const method = bytes.readUInt16LE(at + 8);
    const extra = at + 30 + bytes.readUInt16LE(at + 26);
    const from = extra + bytes.readUInt16LE(at + 28);
    const own = flags & SIZES_BEHIND ? undefined : wide(bytes, [at + 22, at + 18], extra, from)[1];
    const size = listed.get(at) ?? own;
    const name = `zip: ${bytes.toString("utf8", at + 30, extra)}`;
    const inside = `${where} (${name})`;
    listed.delete(at);
    at = bytes.indexOf(LOCAL_HEADER, from + (size ?? 0));
    // A stored file of unknown size ends before the next one.
    const open = method === STORED && at >= 0 ? at : bytes.length;
    const packed = bytes.subarray(from, size === undefined ? open : from + size);
    if (size === 0) continue;
    if (flags & ENCRYPTED) yield { where: inside, reason: "the zip entry is encrypted" };
    else if (method === STORED) yield { where: inside, bytes: packed };
    else if (method === DEFLATED) yield unpacked(where, name, inflateRawSync, packed);
    else yield { where: inside, reason: `the zip entry is compressed by method ${method}` };
  }
  for (const place of listed.keys())
    yield { where, reason: `the zip's directory is damaged: nothing begins at byte ${place}` };
}

/** The directory, which an archive has at its end. Undefined if it is missing or damaged. */
function directoryOf(bytes: Buffer): PackedSizes | undefined {
  // A comment behind the record may look like another record.
  for (let end = bytes.lastIndexOf(END_RECORD); end >= 0; ) {
    const sizes = end + 22 > bytes.length ? undefined : sizesBefore(bytes, end);
    if (sizes?.size) return sizes;
    end = end === 0 ? -1 : bytes.lastIndexOf(END_RECORD, end - 1);
  }
  return undefined;
}

/** The sizes in the directory that an end record describes; undefined if it is not one. */
function sizesBefore(bytes: Buffer, endRecord: number): PackedSizes | undefined {
  let count = bytes.readUInt16LE(endRecord + 10);
  let size = bytes.readUInt32LE(endRecord + 12);
  let start = bytes.readUInt32LE(endRecord + 16);
  let end = endRecord;
  if (isAt(bytes, endRecord - 20, LOCATOR_64)) {
    end = bytes.lastIndexOf(END_RECORD_64, endRecord - 76);
    if (end < 0) return undefined;
    count = readUInt64(bytes, end + 32);
    size = readUInt64(bytes, end + 40);
    start = readUInt64(bytes, end + 48);
  }
  const sizes = new Map<number, number>();
  let at = end - size;
  // Positions count from the archive's beginning, which may be behind something else.
  const shift = at - start;
  if (at < 0 || shift < 0) return undefined;
  for (let entry = 0; entry < count; entry += 1) {
    if (at + 46 > end || !isAt(bytes, at, DIRECTORY_HEADER)) return undefined;
    const extra = at + 46 + bytes.readUInt16LE(at + 28);
    const comment = extra + bytes.readUInt16LE(at + 30);
    const [, packed = 0, local = 0] = wide(bytes, [at + 24, at + 20, at + 42], extra, comment);
    sizes.set(local + shift, packed);
    at = comment + bytes.readUInt16LE(at + 32);
  }
  return sizes;
}

/** Values of 32 bits. Those that are full stand as 64 bits in the extra field 1, in this order. */
function wide(bytes: Buffer, places: readonly number[], extra: number, to: number): number[] {
  const end = Math.min(to, bytes.length);
  let at = extra;
  while (at + 4 <= end && bytes.readUInt16LE(at) !== 1) at += 4 + bytes.readUInt16LE(at + 2);
  at += 4;
  return places.map((place) => {
    const value = bytes.readUInt32LE(place);
    if (value !== FULL || at + 8 > end) return value;
    at += 8;
    return readUInt64(bytes, at - 8);
  });
}

function isAt(bytes: Buffer, at: number, signature: Buffer): boolean {
  return at >= 0 && bytes.subarray(at, at + signature.length).equals(signature);
}

function readUInt64(bytes: Buffer, at: number): number {
  return Number(bytes.readBigUInt64LE(at));
}
