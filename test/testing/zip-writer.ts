import { crc32, deflateRawSync } from "node:zlib";

/**
 * Writes a zip, as small as a test needs it. `trailing` puts sizes behind the data, as Terraform's
 * plan files have them.
 */
export function writeZip(
  entries: readonly {
    readonly name: string;
    readonly content: Buffer;
    readonly stored?: boolean;
    readonly method?: number;
    readonly encrypted?: boolean;
  }[],
  { trailing = false, comment = "" } = {},
): Buffer {
  const files: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const {
    name,
    content,
    stored = false,
    method = stored ? 0 : 8,
    encrypted = false,
  } of entries) {
    const packed = stored ? content : deflateRawSync(content);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE((trailing ? 8 : 0) | (encrypted ? 1 : 0), 2);
    shared.writeUInt16LE(method, 4);
    shared.writeUInt32LE(typeof crc32 === "function" ? crc32(content) : 0, 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(content.length, 18);
    shared.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.from(shared);
    if (trailing) local.fill(0, 10, 22);
    const file = Buffer.concat([
      Buffer.from("PK\x03\x04", "latin1"),
      local,
      Buffer.from(name),
      packed,
      trailing ? Buffer.alloc(12) : Buffer.alloc(0),
    ]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    central.push(
      Buffer.concat([Buffer.from("PK\x01\x02\x14\x00", "latin1"), shared, rest, Buffer.from(name)]),
    );
    files.push(file);
    offset += file.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...files, directory, end, Buffer.from(comment, "latin1")]);
}
