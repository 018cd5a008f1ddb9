import type { Duplex } from "node:stream";
import type { Fault } from "./transport";

const TLS_CODE =
  /^((ERR_(TLS|SSL|OSSL)|CERT|CRL|UNABLE_TO)_.*|(DEPTH_ZERO_)?SELF_SIGNED_CERT.*|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|PATH_LENGTH_EXCEEDED|EPROTO)$/;

/** Node.js reserves 10 GB of addresses for WebAssembly, which use no memory. */
const NO_MEMORY =
  "Node.js could not allocate memory for its parser: remove the limit on the address space of this process (ulimit -v unlimited).";

/** Has the fault itself. */
export class FaultError extends Error {
  constructor(readonly fault: Fault) {
    super("no answer");
    this.name = "FaultError";
  }
}

/**
 * Translates an error. The error itself is dropped: it may contain the request, the received bytes,
 * or a certificate with arbitrary text from the other side.
 *
 * @param used by undici, which reports errors of the system as they are. Any other is its own: about
 * an answer that it cannot read, unless the other side has ended the connection.
 */
export function faultOf(error: unknown, used?: Duplex): Fault {
  if (error instanceof FaultError) return error.fault;
  const code = codeOf(error);
  // WebAssembly has no memory for undici's parser: nothing has been written yet.
  if (error instanceof Error && error.name === "RangeError" && code === undefined)
    return { kind: "fault", fault: "connection", code: "ENOMEM", note: NO_MEMORY };
  if (used !== undefined && /^(undefined$|UND_ERR_(?!INVALID)|HPE|ERR_ASSERTION)/.test(`${code}`))
    return used.readableEnded
      ? { kind: "fault", fault: "connection", code: "ECONNRESET" }
      : { kind: "fault", fault: "malformed" };
  if (code === undefined) return { kind: "fault", fault: "connection" };
  return { kind: "fault", fault: TLS_CODE.test(code) ? "tls" : "connection", code };
}

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
