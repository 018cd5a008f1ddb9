import type { Intercept } from "./intercept";
import type { JournalEntry } from "./keystone/journal";

/** The clock, faults, and further options. @see docs/testing.md */
export interface EmbeddedIdentityOptions {
  /**
   * Milliseconds since 1970, for lifetimes, the journal and the Date header. Default: the machine's
   * clock.
   */
  readonly now?: () => number;
  /** Called with each new entry of the journal. Default: none. */
  readonly onRequest?: (entry: JournalEntry) => void;
  /**
   * Whether `/echo`, and each path below, simulates a product API: it answers 200 with a
   * description of the request's token (never the token itself), or 401. Default: false; only the
   * identity service exists.
   */
  readonly echo?: boolean;
  /**
   * Decides what a client gets: for faults. Default: what the service answers.
   *
   * @example intercept: ({ number }, serve) => (number <= 2 ? { status: 503 } : serve())
   */
  readonly intercept?: Intercept;
}
