import { inflateRawSync } from "node:zlib";
import { type Found, type Piece, unpacked } from "./piece";

const LOCAL_HEADER = Buffer.from("PK\x03\x04");
const DIRECTORY_HEADER = Buffer.from("PK\x01\x02");
const END_RECORD = Buffer.from("PK\x05\x06");

const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = 1;

/** A file in a zip, with the place of its local header and those of its packed bytes. */
interface Entry {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly header: number;
  readonly from: number;
  readonly to: number;
}

/** Whether it is a zip, or ends with one: scripts and programs have them behind their own code. */
export function isZip({ bytes }: Piece): boolean {
  return isAt(bytes, 0, LOCAL_HEADER) || directoryOf(bytes) !== undefined;
}

/**
 * The files that a zip's directory names, stored or deflated: it alone always has their sizes. A
 * local header between them belongs to a file that it does not name. No byte is read for two files:
 * the work grows with the archive alone.
 */
export function* unzip({ bytes, where }: Piece): Iterable<Found> {
  const directory = directoryOf(bytes);
  if (directory === undefined)
    return yield { where, reason: "the zip is cut off, damaged, or a zip64" };
  let end = 0;
  for (const { name, flags, method, header, from, to } of directory) {
    if (header < end || bytes.subarray(end, header).includes(LOCAL_HEADER))
      return yield { where, reason: `the zip has another file before byte ${header}` };
    end = to;
    const inside = `${where} (zip: ${name})`;
    const packed = bytes.subarray(from, to);
    if (packed.length === 0) continue;
    if (flags & ENCRYPTED) yield { where: inside, reason: "the zip entry is encrypted" };
    else if (method === STORED) yield { where: inside, bytes: packed };
    else if (method === DEFLATED) yield unpacked(where, `zip: ${name}`, inflateRawSync, packed);
    else yield { where: inside, reason: `the zip entry is compressed by method ${method}` };
  }
  if (bytes.includes(LOCAL_HEADER, end))
    yield { where, reason: `the zip has another file behind byte ${end}` };
}

/** In the order of their places. Undefined if it is missing or damaged, or has places of 64 bits. */
function directoryOf(bytes: Buffer): readonly Entry[] | undefined {
  // A comment behind the end record may look like another one.
  for (let end = bytes.lastIndexOf(END_RECORD); end >= 0; ) {
    const entries = end + 22 > bytes.length ? undefined : entriesBefore(bytes, end);
    if (entries?.length) return [...entries].sort((a, b) => a.header - b.header);
    end = end === 0 ? -1 : bytes.lastIndexOf(END_RECORD, end - 1);
  }
  return undefined;
}

/** The entries of the directory that an end record describes; undefined if it is not one. */
function entriesBefore(bytes: Buffer, end: number): readonly Entry[] | undefined {
  let at = end - bytes.readUInt32LE(end + 12);
  // Places count from the archive's beginning, which may be behind something else.
  const shift = at - bytes.readUInt32LE(end + 16);
  if (at < 0 || shift < 0) return undefined;
  const entries: Entry[] = [];
  for (let count = bytes.readUInt16LE(end + 10); count > 0; count -= 1) {
    if (at + 46 > end || !isAt(bytes, at, DIRECTORY_HEADER)) return undefined;
    const header = bytes.readUInt32LE(at + 42) + shift;
    if (header + 30 > bytes.length || !isAt(bytes, header, LOCAL_HEADER)) return undefined;
    const from = header + 30 + bytes.readUInt16LE(header + 26) + bytes.readUInt16LE(header + 28);
    const to = from + bytes.readUInt32LE(at + 20);
    const nameEnd = at + 46 + bytes.readUInt16LE(at + 28);
    entries.push({
      name: bytes.toString("utf8", at + 46, nameEnd),
      flags: bytes.readUInt16LE(at + 8),
      method: bytes.readUInt16LE(at + 10),
      ...{ header, from, to },
    });
    if (to > end) return undefined;
    at = nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return entries;
}

function isAt(bytes: Buffer, at: number, signature: Buffer): boolean {
  return bytes.subarray(at, at + signature.length).equals(signature);
}
