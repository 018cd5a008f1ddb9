import { type ZipOptions, type ZippableFile, zipSync } from "fflate";
import type { ProviderFile } from "./provider-files";

/** The type of a regular file, before its mode. */
const REGULAR = 0o100000;

/**
 * A zip archive of files, in their order. They are stored, not compressed: a compressor's bytes
 * depend on its version, and the archive's hash (`zh:`) is in lock files. For the same reason, all
 * files have the oldest time that the format knows, in the time of whatever zone.
 */
export function zip(files: readonly ProviderFile[]): Buffer {
  const entries = files.map(({ name, content, mode }): [string, ZippableFile] => {
    // Made on Unix (3): the upper half of the attributes is the mode.
    const attrs = ((REGULAR | mode) << 16) >>> 0;
    const options: ZipOptions = { level: 0, mtime: new Date(1980, 0, 1), os: 3, attrs };
    return [name, [content, options]];
  });
  return Buffer.from(zipSync(Object.fromEntries(entries)));
}
