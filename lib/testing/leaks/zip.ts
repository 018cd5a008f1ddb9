import { inflateRawSync } from "node:zlib";
import { LIMITS, MAX_UNPACKED_BYTES, type Piece, type Skip } from "./piece";

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

/** An entry of the directory: where its local header is, and its packed size. */
interface Entry {
  readonly at: number;
  readonly size: number;
}

/** Whether it is a zip, or ends with one: scripts and programs have them behind their own code. */
export function isZip(bytes: Buffer): boolean {
  return isAt(bytes, 0, LOCAL_HEADER) || directoryOf(bytes) !== undefined;
}

/**
 * The files in a zip, stored or deflated, by its directory: only there is a size always right. What
 * the directory does not name (all of it, if it is missing) is found by local headers. No byte is
 * read for two entries: the work grows with the archive alone.
 */
export function* unzip({ bytes, where }: Piece, skip: Skip): Iterable<Piece> {
  const directory = directoryOf(bytes);
  if (directory === undefined && !bytes.includes(END_RECORD))
    skip({ where, reason: "the zip is cut off" });

  let done = 0;
  for (const { at, size } of [...(directory ?? [])].sort((a, b) => a.at - b.at)) {
    yield* unlisted(at);
    if (at < done || at + 30 > bytes.length || !isAt(bytes, at, LOCAL_HEADER))
      skip({ where, reason: `the zip's directory is damaged: nothing begins at byte ${at}` });
    else yield* open(at, size, bytes.length);
  }
  yield* unlisted(bytes.length);

  function* unlisted(to: number): Iterable<Piece> {
    for (;;) {
      const at = bytes.indexOf(LOCAL_HEADER, done);
      if (at < 0 || at + 30 > to) return;
      yield* open(at, undefined, to);
    }
  }

  /** The file of one local header; afterwards, all is done to its end. */
  function* open(at: number, listed: number | undefined, to: number): Iterable<Piece> {
    const flags = bytes.readUInt16LE(at + 6);
    const method = bytes.readUInt16LE(at + 8);
    const extra = at + 30 + bytes.readUInt16LE(at + 26);
    const from = extra + bytes.readUInt16LE(at + 28);
    const inside = `${where} (zip: ${bytes.toString("utf8", at + 30, extra)})`;
    const own = flags & SIZES_BEHIND ? undefined : wide(bytes, [at + 22, at + 18], extra, from)[1];
    const size = listed ?? own;
    done = from + (size ?? 0);
    if (size === 0) return;
    const note = (reason: string) => skip({ where: inside, reason });
    if (flags & ENCRYPTED) return note("the zip entry is encrypted");
    if (method === STORED) {
      if (size === undefined) done = bytes.indexOf(LOCAL_HEADER, from);
      if (done < 0 || done > to) done = to;
      yield { where: inside, bytes: bytes.subarray(from, done) };
    } else if (method === DEFLATED) {
      try {
        const packed = bytes.subarray(from, size === undefined ? to : done);
        yield { where: inside, bytes: inflateRawSync(packed, LIMITS) };
      } catch {
        note(`the zip entry is damaged, or larger than ${MAX_UNPACKED_BYTES} bytes`);
      }
    } else note(`the zip entry is compressed by method ${method}`);
  }
}

/** The directory, which an archive has at its end. Undefined if it is missing or damaged. */
function directoryOf(bytes: Buffer): readonly Entry[] | undefined {
  let end = bytes.length;
  // A comment behind the record may look like another record.
  while (end > 0) {
    end = bytes.lastIndexOf(END_RECORD, end - 1);
    if (end < 0) break;
    const entries = end + 22 > bytes.length ? [] : entriesBefore(bytes, end);
    if (entries.length > 0) return entries;
  }
  return undefined;
}

/** The entries of the directory that an end record describes; none if it is not one. */
function entriesBefore(bytes: Buffer, endRecord: number): readonly Entry[] {
  let count = bytes.readUInt16LE(endRecord + 10);
  let size = bytes.readUInt32LE(endRecord + 12);
  let start = bytes.readUInt32LE(endRecord + 16);
  let end = endRecord;
  if (isAt(bytes, endRecord - 20, LOCATOR_64)) {
    end = bytes.lastIndexOf(END_RECORD_64, endRecord - 76);
    if (end < 0) return [];
    count = readUInt64(bytes, end + 32);
    size = readUInt64(bytes, end + 40);
    start = readUInt64(bytes, end + 48);
  }
  const entries: Entry[] = [];
  let at = end - size;
  // Positions count from the archive's beginning, which may be behind something else.
  const shift = at - start;
  if (at < 0 || shift < 0) return [];
  while (entries.length < count) {
    if (at + 46 > end || !isAt(bytes, at, DIRECTORY_HEADER)) return [];
    const extra = at + 46 + bytes.readUInt16LE(at + 28);
    const comment = extra + bytes.readUInt16LE(at + 30);
    const [, packed = 0, local = 0] = wide(bytes, [at + 24, at + 20, at + 42], extra, comment);
    entries.push({ at: local + shift, size: packed });
    at = comment + bytes.readUInt16LE(at + 32);
  }
  return entries;
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
