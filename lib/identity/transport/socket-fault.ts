import type { Fault, FaultKind } from "./transport";

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
 * What an error of a socket or of the parser stands for. The error itself is dropped: it may hold
 * the request, what came instead of an answer, or a certificate with whatever the other side wrote
 * into it.
 */
export function faultOf(error: unknown): Fault {
  const code = codeOf(error);
  return { kind: "fault", fault: kindOf(code), ...(code === undefined ? {} : { code }) };
}

function kindOf(code: string | undefined): FaultKind {
  if (code === undefined) return "connection";
  if (code.startsWith("HPE_")) return PARSER_FAULTS.get(code) ?? "malformed";
  return TLS_CODES.has(code) || TLS_CODE.test(code) ? "tls" : "connection";
}

const PARSER_FAULTS: ReadonlyMap<string, FaultKind> = new Map([
  ["HPE_HEADER_OVERFLOW", "headers_too_large"],
  ["HPE_INVALID_HEADER_TOKEN", "header_unprintable"],
]);

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
