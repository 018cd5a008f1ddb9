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

/** Notes such a part. */
export type Skip = (what: NotScanned) => void;

/** Larger contents are not unpacked. */
export const MAX_UNPACKED_BYTES = 256 * 1024 * 1024;

/** What is cut off is searched as far as possible. */
export const LIMITS = {
  maxOutputLength: MAX_UNPACKED_BYTES,
  finishFlush: constants.Z_SYNC_FLUSH,
};
