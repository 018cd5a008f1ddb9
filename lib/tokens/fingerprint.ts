import { createHash } from "node:crypto";
import type { Secret } from "./secret";

/**
 * The first 12 hex digits of SHA-256 over a fixed label and the token: safe to print, and equal for
 * equal tokens.
 *
 * Because of the label, the digest differs from any other SHA-256 of the same token. Not for static
 * tokens: the service's specification does not describe their format and strength, and the digest
 * of a weak one could be guessed.
 */
export function fingerprintOf(token: Secret): string {
  return createHash("sha256")
    .update("cdktf-iam-tokens/fingerprint/v1\0")
    .update(token.reveal())
    .digest("hex")
    .slice(0, 12);
}

/**
 * Whether a stored token is the one that was issued, by the fingerprint that was stored with it: an
 * altered one, of which a service knows nothing, says nothing about that.
 */
export function isWhole(token: Secret, fingerprint: unknown): boolean {
  return fingerprint === fingerprintOf(token);
}
