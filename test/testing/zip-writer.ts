import { deflateRawSync } from "node:zlib";

/** A file in a zip. */
interface Entry {
  readonly name: string;
  readonly content: Buffer;
  readonly stored?: boolean;
  readonly method?: number;
  readonly encrypted?: boolean;
}

/**
 * Writes a zip without a directory of its files, as small as a test needs it. `trailing` puts sizes
 * behind the data, as Terraform's plan files have them.
 */
export function writeZip(entries: readonly Entry[], { trailing = false } = {}): Buffer {
  const files = entries.map(({ name, content, stored = false, method, encrypted = false }) => {
    const packed = stored ? content : deflateRawSync(content);
    const head = Buffer.alloc(30);
    head.write("PK\x03\x04", "latin1");
    head.writeUInt16LE((trailing ? 8 : 0) | (encrypted ? 1 : 0), 6);
    head.writeUInt16LE(method ?? (stored ? 0 : 8), 8);
    head.writeUInt32LE(trailing ? 0 : packed.length, 18);
    head.writeUInt16LE(Buffer.byteLength(name), 26);
    return Buffer.concat([head, Buffer.from(name), packed, Buffer.alloc(trailing ? 16 : 0)]);
  });
  return Buffer.concat([...files, Buffer.from("PK\x05\x06", "latin1"), Buffer.alloc(18)]);
}
