import { constants } from "node:zlib";

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

/** Bytes to search, or the reason why they cannot be searched. */
export type Found = Piece | NotScanned;

/** Larger contents are not unpacked. */
export const MAX_UNPACKED_BYTES = 256 * 1024 * 1024;

/** One of the functions of node:zlib that unpack. */
export type Decode = (
  bytes: Buffer,
  options: { readonly maxOutputLength: number; readonly finishFlush?: number },
) => Buffer;

/** A stream that is cut off is searched as far as possible. */
const CUT_OFF = { finishFlush: constants.Z_SYNC_FLUSH };

/**
 * The content; undefined if it is damaged or too large.
 *
 * @param more empty if it must not be cut off
 */
export function decoded(
  decode: Decode,
  bytes: Buffer,
  more: { readonly finishFlush?: number } = CUT_OFF,
): Buffer | undefined {
  try {
    return decode(bytes, { maxOutputLength: MAX_UNPACKED_BYTES, ...more });
  } catch {
    return undefined;
  }
}

/** The content of a packed piece, or why it is not searched. */
export function unpacked(where: string, format: string, decode: Decode, packed: Buffer): Found {
  const bytes = decoded(decode, packed);
  if (bytes !== undefined) return { where: `${where} (${format})`, bytes };
  const reason = `damaged ${format}, or larger than ${MAX_UNPACKED_BYTES} bytes unpacked`;
  return { where, reason };
}
