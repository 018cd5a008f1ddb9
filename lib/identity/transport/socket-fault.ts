import type { Fault } from "./transport";

const TLS_CODES = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "HOSTNAME_MISMATCH",
  "INVALID_CA",
  "INVALID_PURPOSE",
  "PATH_LENGTH_EXCEEDED",
  "EPROTO",
]);
const TLS_CODE = /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|CRL_|UNABLE_TO_)/;

/**
 * What an error of a socket or of undici stands for. The error itself is dropped: it may hold the
 * request, what came instead of an answer, or a certificate with whatever the other side wrote into
 * it.
 */
export function faultOf(error: unknown): Fault {
  const code = codeOf(error);
  const text = error instanceof Error ? error.message : "";
  const known = UNDICI_FAULTS.find(([its, words]) => its === code && words.test(text));
  if (known !== undefined) return { kind: "fault", ...known[2] };
  if (code === undefined) return { kind: "fault", fault: "connection" };
  const isTls = TLS_CODES.has(code) || TLS_CODE.test(code);
  return { kind: "fault", fault: isTls ? "tls" : "connection", code };
}

/** By code and words: undici gives its parser's errors no code, and several things the same one. */
const UNDICI_FAULTS: readonly (readonly [string | undefined, RegExp, Omit<Fault, "kind">])[] = [
  [
    undefined,
    /^Response does not match.*\(Invalid header (value char|token|field char)\)/,
    { fault: "header_unprintable" },
  ],
  // A value in two lines.
  [
    undefined,
    /^Response does not match.*\(Unexpected whitespace after header value\)/,
    { fault: "header_unprintable" },
  ],
  [undefined, /^Response does not match/, { fault: "malformed" }],
  // In the head: what the parser could not read stands behind Content-Length.
  ["UND_ERR_RES_CONTENT_LENGTH_MISMATCH", /^/, { fault: "malformed" }],
  ["UND_ERR_HEADERS_OVERFLOW", /^/, { fault: "headers_too_large" }],
  // A 100 or 101 that nobody asked for. It is an answer, behind which a token may have been issued
  // already, and no fault of the connection: asked again, the service would say the same.
  ["UND_ERR_SOCKET", /^bad (response|upgrade)$/, { fault: "malformed" }],
  // A 101 that names no protocol, or a status below 100: undici asserts that none comes.
  ["ERR_ASSERTION", /^/, { fault: "malformed" }],
  // Closed by the other side, which has this name elsewhere.
  ["UND_ERR_SOCKET", /^/, { fault: "connection", code: "ECONNRESET" }],
];

/**
 * The code of an error, when it looks like one: it enters messages. Of several addresses that
 * failed, the first one's.
 */
function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { code, errors } = error as { code?: unknown; errors?: unknown };
  // Newer versions of OpenSSL have a "/" in some, such as ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE.
  const plain = typeof code === "string" ? code.replaceAll("/", "_") : "";
  if (/^[A-Z][A-Z0-9_]{1,63}$/.test(plain)) return plain;
  return Array.isArray(errors) ? codeOf(errors[0]) : undefined;
}
