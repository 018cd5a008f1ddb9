import { defined } from "./defined";
import { formatDuration } from "./duration";
import { IamTokensError } from "./error";
import { oddityOf } from "./odd-value";
import { quote, shortened } from "./printable";
import type { Secret } from "./secret";
import { type Text, words } from "./words";

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
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const CLAIM_LENGTH = 200;

/**
 * Checks the form of an identity token (a JWT: three parts of base64url), before it is sent.
 *
 * @param origin the place that it is from, for the message
 * @throws ERR_IDENTITY_TOKEN_INVALID
 */
export function assertIdentityToken(token: Secret, origin: Text): void {
  const text = token.reveal();
  if (text.length <= MAX_LENGTH && JWT.test(text)) return;
  const oddity = oddityOf(text) ?? (/\s/.test(text) ? "contains white space" : undefined);
  throw new IamTokensError(
    "ERR_IDENTITY_TOKEN_INVALID",
    words`The identity token (${origin}) is not a JWT (characters: ${text.length}, parts: ${text.split(".").length}).`,
    defined({
      more: oddity && `It ${oddity}.`,
      allowed: `three parts of base64url with dots between them, up to ${MAX_LENGTH} characters`,
    }),
  );
}

/** The claims of an identity token, each cut to a sane length; none if it cannot be read. */
export function claimsOf(token: Secret): Claims {
  try {
    const [, payload = ""] = token.reveal().split(".", 2);
    const { iss, aud, sub, exp } = Object(
      JSON.parse(Buffer.from(payload, "base64url").toString("utf8")),
    );
    return defined({
      iss: claim(iss),
      aud: claim(Array.isArray(aud) ? aud.join(", ") : aud),
      sub: claim(sub),
      exp: typeof exp === "number" && Math.abs(exp) < 8.64e12 ? exp * 1_000 : undefined,
    });
  } catch {
    return {};
  }
}

const claim = (value: unknown) =>
  typeof value === "string" ? shortened(value, CLAIM_LENGTH) : undefined;

/**
 * The claims in words, safe to print: `iss "…", aud "…", sub "…", expired 7m ago`.
 *
 * @param now the time to compare the end with, in milliseconds since 1970
 */
export function describeClaims({ exp, ...texts }: Claims, now: number): string {
  const parts = Object.entries(texts).map(([name, text]) => `${name} ${quote(text, "path")}`);
  if (exp !== undefined) {
    const time = formatDuration(Math.abs(exp - now));
    parts.push(exp <= now ? `expired ${time} ago` : `expires in ${time}`);
  }
  return parts.length === 0 ? "without readable claims" : parts.join(", ");
}
