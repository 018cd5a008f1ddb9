/**
 * The source address of the embedded provider. `.invalid` is reserved: no registry can ever serve
 * it.
 */
export const PROVIDER_SOURCE = "npm.invalid/cdktf-iam-tokens/iam";

/** The provider's type: its local name in a configuration, and the prefix of its objects. */
export const PROVIDER_TYPE = "iam";

/** A construct's path that `declared_by` may have: a name in messages, and nothing that acts. */
export function isConstructPath(text: string): boolean {
  // V8 compiles the letters of Unicode, when they are needed, for half a millisecond.
  return /^\w[\w ./-]{0,254}$/.test(text) || /^[\p{L}\p{N}_][\p{L}\p{N} _./-]{0,254}$/u.test(text);
}

/** `ephemeral "iam_token"`, `data "iam_token"` and `resource "iam_token"`. */
export const IAM_TOKEN = "iam_token";

/** `ephemeral "iam_static_token"` and `data "iam_static_token"`. */
export const IAM_STATIC_TOKEN = "iam_static_token";

/** `resource "iam_rotation"`. */
export const IAM_ROTATION = "iam_rotation";
