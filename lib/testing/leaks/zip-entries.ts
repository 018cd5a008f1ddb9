import { inflateRawSync } from "node:zlib";

/** A file inside a zip. */
export interface ZipEntry {
  readonly name: string;
  /** Unpacks it, or says why it cannot be: one at a time, for all may be too much at once. */
  readonly read: () => Buffer | { readonly unreadable: string };
}

const END = 0x06054b50;
const CENTRAL = 0x02014b50;

/**
 * The entries of a zip: stored or deflated, which is what Terraform's plan files have. Undefined
 * when it is no zip that can be read.
 *
 * Own code and no library: a library unpacks all or nothing, and a scan has to say of each entry
 * that it was not searched, and why.
 */
export function readZipEntries(
  zip: Buffer,
  maxEntryBytes: number,
): readonly ZipEntry[] | undefined {
  const end = findEnd(zip);
  if (end === undefined) return undefined;
  const count = zip.readUInt16LE(end + 10);
  const entries: ZipEntry[] = [];
  let at = zip.readUInt32LE(end + 16);
  // The values that zip64 puts elsewhere.
  if (count === 0xffff || at === 0xffffffff) return undefined;
  for (let index = 0; index < count; index += 1) {
    if (at + 46 > zip.length || zip.readUInt32LE(at) !== CENTRAL) return undefined;
    const afterName = at + 46 + zip.readUInt16LE(at + 28);
    const name = zip.toString("utf8", at + 46, afterName);
    const central = at;
    entries.push({ name, read: () => readContent(zip, central, maxEntryBytes) });
    at = afterName + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return entries;
}

/** The end record is at the end, behind it only a comment of at most 64 kB. */
function findEnd(zip: Buffer): number | undefined {
  for (let at = zip.length - 22; at >= Math.max(0, zip.length - 22 - 0xffff); at -= 1) {
    if (zip.readUInt32LE(at) === END) return at;
  }
  return undefined;
}

function readContent(zip: Buffer, central: number, maxBytes: number): ReturnType<ZipEntry["read"]> {
  const isEncrypted = (zip.readUInt16LE(central + 8) & 1) !== 0;
  const method = zip.readUInt16LE(central + 10);
  // Those of the directory: in front of the data they may be missing.
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
    return inflateRawSync(packed, { maxOutputLength: maxBytes });
  } catch {
    return { unreadable: `the zip entry is damaged, or larger than ${maxBytes} bytes` };
  }
}
