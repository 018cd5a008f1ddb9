// A program for Linux without what only debuggers and linkers read.

/**
 * The parts of a 64-bit ELF file that are loaded: its segments. The table of sections and the
 * symbols are left out: cut off at the end, and zero between segments. By hand, because the tool of
 * each machine and version writes other bytes, and an archive's hash is in lock files.
 */
export function withoutSymbols(program) {
  const isElf64 = program.readUInt32BE(0) === 0x7f454c46 && program[4] === 2 && program[5] === 1;
  if (!isElf64) throw new Error("not a little-endian 64-bit ELF file");
  const at = (offset) => Number(program.readBigUInt64LE(offset));
  const [first, size, count] = [at(32), program.readUInt16LE(54), program.readUInt16LE(56)];
  const segments = Array.from({ length: count }, (_, index) => first + index * size).map(
    // Where the segment begins in the file, and how much of the file it has.
    (header) => [at(header + 8), at(header + 8) + at(header + 32)],
  );
  const headers = [0, first + count * size];
  const loaded = Buffer.alloc(Math.max(...[headers, ...segments].map(([, end]) => end)));
  for (const [start, end] of [headers, ...segments]) program.copy(loaded, start, start, end);
  // There is no table of sections any more: neither place, number nor names.
  loaded.writeBigUInt64LE(0n, 40);
  for (const offset of [58, 60, 62]) loaded.writeUInt16LE(0, offset);
  return loaded;
}
