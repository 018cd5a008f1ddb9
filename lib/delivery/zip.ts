import { crc32 } from "node:zlib";
import type { ProviderFile } from "./provider-files";

/**
 * A zip archive of files, in their order. They are stored, not compressed: a compressor's bytes
 * depend on the version of Node.js and on the processor, and the archive's hash (`zh:`) is in lock
 * files. For the same reason, all files have the oldest time that the format knows.
 */
export function zip(files: readonly ProviderFile[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, mode } of files) {
    const path = Buffer.from(name);
    // Common to both headers: format 2.0, UTF-8 names, stored, 1980-01-01 00:00, sizes.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800, 2);
    common.writeUInt16LE(0x21, 8);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(content.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(path.length, 22);
    // Made on Unix (3): the upper half of the attributes is the mode of a regular file.
    const attributes = Buffer.alloc(14);
    attributes.writeUInt32LE(((0o100000 | mode) << 16) >>> 0, 6);
    attributes.writeUInt32LE(offset, 10);
    directory.push(Buffer.from("PK\x01\x02\x14\x03", "latin1"), common, attributes, path);
    const local = [Buffer.from("PK\x03\x04", "latin1"), common, path, content];
    parts.push(...local);
    offset += local.reduce((sum, { length }) => sum + length, 0);
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...directory, end]);
}
