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

/** The bytes themselves, and the content of gzip and zip in them, even nested. */
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
    // An incomplete file is searched as far as possible.
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
  const entries = readZipEntries(bytes);
  if (entries === undefined) {
    notScanned({ where, reason: "damaged zip, or an unsupported kind of zip" });
    return;
  }
  for (const { name, read } of entries) {
    const content = read();
    const inside = `${where} (zip: ${name})`;
    if (Buffer.isBuffer(content)) yield { where: inside, bytes: content };
    else notScanned({ where: inside, reason: content.unreadable });
  }
}

/** A file inside a zip. */
interface ZipEntry {
  readonly name: string;
  /** Unpacks it, or returns why this is impossible. One at a time: all together may be too much. */
  readonly read: () => Buffer | { readonly unreadable: string };
}

const END = 0x06054b50;
const CENTRAL = 0x02014b50;

/**
 * The entries of a zip: stored or deflated, as in Terraform's plan files. Undefined if it is not a
 * readable zip.
 *
 * Own code instead of a library: fflate trusts the sizes that a zip claims, and takes encrypted
 * bytes for plain ones; a scan would then skip what it must report.
 */
function readZipEntries(zip: Buffer): readonly ZipEntry[] | undefined {
  const end = findEnd(zip);
  if (end === undefined) return undefined;
  const count = zip.readUInt16LE(end + 10);
  const entries: ZipEntry[] = [];
  let at = zip.readUInt32LE(end + 16);
  // zip64 stores these values elsewhere.
  if (count === 0xffff || at === 0xffffffff) return undefined;
  for (let index = 0; index < count; index += 1) {
    if (at + 46 > zip.length || zip.readUInt32LE(at) !== CENTRAL) return undefined;
    const afterName = at + 46 + zip.readUInt16LE(at + 28);
    const name = zip.toString("utf8", at + 46, afterName);
    const central = at;
    entries.push({ name, read: () => readContent(zip, central) });
    at = afterName + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return entries;
}

/** The end record is at the end, followed only by a comment of at most 64 kB. */
function findEnd(zip: Buffer): number | undefined {
  for (let at = zip.length - 22; at >= Math.max(0, zip.length - 22 - 0xffff); at -= 1) {
    if (zip.readUInt32LE(at) === END) return at;
  }
  return undefined;
}

function readContent(zip: Buffer, central: number): ReturnType<ZipEntry["read"]> {
  const isEncrypted = (zip.readUInt16LE(central + 8) & 1) !== 0;
  const method = zip.readUInt16LE(central + 10);
  // The sizes in the directory: those before the data may be missing.
  const size = zip.readUInt32LE(central + 20);
  const local = zip.readUInt32LE(central + 42);
  if (isEncrypted) return { unreadable: "the zip entry is encrypted" };
  if (local + 30 > zip.length) return { unreadable: "the zip is cut off" };
  const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  if (from + size > zip.length) return { unreadable: "the zip is cut off" };
  const packed = zip.subarray(from, from + size);
  if (method === 0) return packed;
  if (method !== 8) return { unreadable: `the zip entry is compressed by method ${method}` };
  try {
    return inflateRawSync(packed, { maxOutputLength: MAX_UNPACKED_BYTES });
  } catch {
    return { unreadable: `the zip entry is damaged, or larger than ${MAX_UNPACKED_BYTES} bytes` };
  }
}
