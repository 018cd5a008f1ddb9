import { authority, names, sha1, stranger } from "./certificates.json";

/**
 * An authority for tests, and what it has issued, as PEM. The files never change: they were made
 * once, are valid until the end of the year 9999, and nothing but tests has their keys.
 */
export const AUTHORITY = authority;

/** Another one, which nobody trusts unasked. */
export const STRANGER = stranger;

/**
 * A chain whose end is issued for one name or another: `DNS:` and `IP:` as alternative names, `CN:`
 * as the subject alone. All have one key.
 */
export const NAMES = names;

/** An authority that signs with SHA-1, as old appliances do: OpenSSL refuses it, trusted or not. */
export const OUTDATED = sha1;
