import { authority, stranger } from "./certificates.json";

/**
 * An authority for tests, and what it has issued, as PEM. The files never change: they were made
 * once, are valid until the end of the year 9999, and nothing but tests has their keys.
 */
export const AUTHORITY = authority;

/** Another one, which nobody trusts unasked. */
export const STRANGER = stranger;
