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
 * Translates an error of a socket or of undici. The error itself is dropped: it may contain the
 * request, the received bytes, or a certificate with arbitrary text from the other side.
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

/**
 * By code and message: undici gives its parser's errors no code, and several errors the same one.
 */
const UNDICI_FAULTS: readonly (readonly [string | undefined, RegExp, Omit<Fault, "kind">])[] = [
  [
    undefined,
    /^Response does not match.*\(Invalid header (value char|token|field char)\)/,
    { fault: "header_unprintable" },
  ],
  // A value on two lines.
  [
    undefined,
    /^Response does not match.*\(Unexpected whitespace after header value\)/,
    { fault: "header_unprintable" },
  ],
  [undefined, /^Response does not match/, { fault: "malformed" }],
  // Before the request is written.
  [undefined, /^WebAssembly\..*Out of memory/, { fault: "no_memory" }],
  // In the head: the part that the parser could not read is after Content-Length.
  ["UND_ERR_RES_CONTENT_LENGTH_MISMATCH", /^/, { fault: "malformed" }],
  ["UND_ERR_HEADERS_OVERFLOW", /^/, { fault: "headers_too_large" }],
  // An unexpected 100 or 101. It is an answer, after which a token may exist already, and not a
  // fault of the connection: a retry would get the same answer.
  ["UND_ERR_SOCKET", /^bad (response|upgrade)$/, { fault: "malformed" }],
  // A 101 without a protocol, or a status below 100: undici asserts that neither occurs.
  ["ERR_ASSERTION", /^/, { fault: "malformed" }],
  // Closed by the other side; elsewhere this code is used for it.
  ["UND_ERR_SOCKET", /^/, { fault: "connection", code: "ECONNRESET" }],
];

/**
 * The code of an error, if it looks like one: it gets into messages. If several addresses failed,
 * the first one's.
 */
function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { code, errors } = error as { code?: unknown; errors?: unknown };
  // Some codes of newer versions of OpenSSL contain a "/", such as
  // ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE.
  const plain = typeof code === "string" ? code.replaceAll("/", "_") : "";
  if (/^[A-Z][A-Z0-9_]{1,63}$/.test(plain)) return plain;
  return Array.isArray(errors) ? codeOf(errors[0]) : undefined;
}
