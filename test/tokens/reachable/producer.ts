import type { ErrorCode } from "../../../lib/tokens";

/**
 * Brings an error about, by an input that a user may give: throws it, rejects with it, or gives
 * back the text that shows it.
 */
export type Producer = () => unknown;

/** A part of the codes, with one producer each. */
export type Producers = Partial<Record<ErrorCode, Producer>>;
