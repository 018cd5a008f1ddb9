import type { Found, Piece } from "./piece";

const BLOCK = 512;
/** Members without content, whatever size they have: links, devices, folders, pipes. */
const EMPTY_TYPES = "123456";

/** Whether it begins with a header: the checksum decides, as old archives have no other sign. */
export function isTar({ bytes }: Piece): boolean {
  return isHeader(bytes.subarray(0, BLOCK));
}

/** The members of a tar. */
export function* untar({ bytes, where }: Piece): Iterable<Found> {
  for (let at = 0; at + BLOCK <= bytes.length; at += BLOCK) {
    const header = bytes.subarray(at, at + BLOCK);
    // The end, behind which another archive may follow.
    if (header.every((byte) => byte === 0)) continue;
    if (!isHeader(header)) return yield { where, reason: `the tar is damaged at byte ${at}` };
    const type = String.fromCharCode(header[156] ?? 0);
    const size = EMPTY_TYPES.includes(type) ? 0 : numberIn(header, 124, 136);
    const from = at + BLOCK;
    if (size > 0) {
      const [name] = header.toString("utf8", 0, 100).split("\0");
      yield { where: `${where} (tar: ${name})`, bytes: bytes.subarray(from, from + size) };
    }
    at += Math.ceil(size / BLOCK) * BLOCK;
  }
}

function isHeader(block: Buffer): boolean {
  if (block.length < BLOCK) return false;
  const sum = block.reduce((all, byte, at) => all + (at >= 148 && at < 156 ? 32 : byte), 0);
  return sum === numberIn(block, 148, 156);
}

/** Octal digits, or, above 8 GiB, binary. */
function numberIn(header: Buffer, from: number, to: number): number {
  if ((header[from] ?? 0) >= 0x80) return Number(header.readBigUInt64BE(to - 8));
  return Number.parseInt(/[0-7]+/.exec(header.toString("latin1", from, to))?.[0] ?? "0", 8);
}
