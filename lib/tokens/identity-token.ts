import { formatDuration } from "./duration";
import { IamTokensError } from "./error";
import { escaped, shortened } from "./printable";
import type { Secret } from "./secret";

/** What an identity token says of itself. Nobody has verified it: it is for messages alone. */
export interface Claims {
  /** Who issued it. */
  readonly iss?: string;
  /** For whom it is; several in one text. */
  readonly aud?: string;
  /** Whom it names. */
  readonly sub?: string;
  /** When it expires, in milliseconds since 1970. */
  readonly exp?: number;
}

/** A header line of common servers has at most 16 KiB. */
const MAX_LENGTH = 16 * 1024;
const CLAIM_LENGTH = 200;
const MAX_AUDIENCES = 4;

/**
 * Checks the form of an identity token (a JWT: three parts of base64url), before it is sent.
 *
 * @param origin the place that it is from, for the message
 * @throws ERR_IDENTITY_TOKEN_INVALID
 */
export function assertIdentityToken(token: Secret, origin: string): void {
  const text = token.reveal();
  const why = whyInvalid(text);
  if (why === undefined) return;
  throw new IamTokensError("ERR_IDENTITY_TOKEN_INVALID", `The identity token (${origin}) ${why}.`, {
    allowed: `a JWT: three parts of base64url with dots between them, up to ${MAX_LENGTH} characters`,
  });
}

function whyInvalid(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return `has ${text.length} characters`;
  if (/\s/.test(text)) return "contains white space";
  if (!/^[\x21-\x7e]*$/.test(text)) return "contains characters other than printable ASCII";
  const parts = text.split(".");
  if (parts.length !== 3)
    return `has ${parts.length} ${parts.length === 1 ? "part" : "parts"} in place of three`;
  return parts.every((part) => /^[A-Za-z0-9_-]+$/.test(part))
    ? undefined
    : "has a part that is empty or not base64url";
}

/** The claims of an identity token, each cut to a sane length; none if it cannot be read. */
export function claimsOf(token: Secret): Claims {
  const text = token.reveal();
  if (text.length > MAX_LENGTH) return {};
  try {
    const payload: unknown = JSON.parse(
      Buffer.from(text.split(".")[1] ?? "", "base64url").toString("utf8"),
    );
    const { iss, aud, sub, exp } = Object(payload) as Record<string, unknown>;
    return {
      ...claim("iss", iss),
      ...claim("aud", Array.isArray(aud) ? audiences(aud) : aud),
      ...claim("sub", sub),
      ...(typeof exp === "number" && Math.abs(exp) < 8.64e12 && { exp: exp * 1_000 }),
    };
  } catch {
    return {};
  }
}

const audiences = (list: readonly unknown[]) =>
  list
    .filter((each) => typeof each === "string")
    .slice(0, MAX_AUDIENCES)
    .join(", ");

const claim = (name: "iss" | "aud" | "sub", value: unknown) =>
  typeof value === "string" ? { [name]: shortened(value, CLAIM_LENGTH) } : {};

/**
 * The claims in words, safe to print: `iss "…", aud "…", sub "…", expired 7m ago`.
 *
 * @param now the time to compare the end with, in milliseconds since 1970
 */
export function describeClaims({ iss, aud, sub, exp }: Claims, now: number): string {
  const text = (name: string, value: string | undefined) =>
    value === undefined ? [] : [`${name} ${escaped(value)}`];
  const parts = [...text("iss", iss), ...text("aud", aud), ...text("sub", sub)];
  if (exp !== undefined) {
    const time = formatDuration(Math.abs(exp - now));
    parts.push(exp <= now ? `expired ${time} ago` : `expires in ${time}`);
  }
  return parts.length === 0 ? "without readable claims" : parts.join(", ");
}
