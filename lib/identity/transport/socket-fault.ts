import type { Fault, FaultKind } from "./transport";

const TLS_CODES = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "HOSTNAME_MISMATCH",
  "INVALID_CA",
  "INVALID_PURPOSE",
  "PATH_LENGTH_EXCEEDED",
  "EPROTO",
  "UND_ERR_PRX_TLS",
]);
const TLS_CODE = /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|CRL_|UNABLE_TO_)/;

/**
 * What an error of a socket or of undici stands for. The error itself is dropped: it may hold the request, or a certificate
 * with whatever the other side wrote into it.
 */
export function faultOf(error: unknown): Fault {
  if (error instanceof Error && error.name === "HTTPParserError") return { kind: "fault", fault: parserFault(error.message) };
  const code = codeOf(error);
  const fault = isInterimAnswer(code, error) ? "malformed" : kindOf(code);
  return { kind: "fault", fault, ...(code === undefined || code.startsWith("UND_ERR") ? {} : { code }) };
}

function kindOf(code: string | undefined): FaultKind {
  if (code === undefined) return "connection";
  if (code === "UND_ERR_CONNECT_TIMEOUT") return "connect_timeout";
  if (code === "UND_ERR_HEADERS_OVERFLOW") return "headers_too_large";
  return TLS_CODES.has(code) || TLS_CODE.test(code) ? "tls" : "connection";
}

/**
 * A 100 or 101 that nobody asked for: undici ends the connection, by these words alone. It is an answer, behind which a token may
 * have been issued already, and no fault of the connection: asked again, the service would say the same.
 */
function isInterimAnswer(code: string | undefined, error: unknown): boolean {
  return code === "UND_ERR_SOCKET" && error instanceof Error && /^bad (response|upgrade)$/.test(error.message);
}

/** By the parser's own fixed reasons: undici 7 gives its errors no code. Their `data` is what the other side sent. */
function parserFault(reason: string): FaultKind {
  if (/Invalid header (value char|token|field char)/.test(reason)) return "header_unprintable";
  // The answer ended before its head did.
  return reason.includes("Invalid EOF state") ? "connection" : "malformed";
}

/** The code of an error, when it looks like one: it enters messages. Of several addresses that failed, the first one's. */
function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { code, errors } = error as { code?: unknown; errors?: unknown };
  if (typeof code === "string" && /^[A-Z][A-Z0-9_]{1,63}$/.test(code)) return code;
  return Array.isArray(errors) ? codeOf(errors[0]) : undefined;
}
