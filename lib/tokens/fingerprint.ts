import { createHash } from "node:crypto";
import type { Secret } from "./secret";

/**
 * The first 12 hex digits of SHA-256 over a fixed label and the token: safe to print, and equal for
 * equal tokens.
 *
 * The label keeps the digest apart from any other SHA-256 of the same token. Not for static tokens:
 * their format and strength are not known (the spec does not show them), so that a digest of a weak
 * one could be guessed.
 */
export function fingerprintOf(token: Secret): string {
  return createHash("sha256")
    .update("cdktf-iam-tokens/fingerprint/v1\0")
    .update(token.reveal())
    .digest("hex")
    .slice(0, 12);
}
