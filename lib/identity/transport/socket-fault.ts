import type { Duplex } from "node:stream";
import { defined } from "../../tokens";
import type { Fault } from "./transport";

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
 * @param during a handshake, whatever is not the system's is of TLS: no list of codes is whole
 */
export function faultOf(error: unknown, used?: Duplex, during?: "handshake"): Fault {
  if (error instanceof FaultError) return error.fault;
  const code = codeOf(error);
  const { library, message, reason, syscall }: Partial<TlsError> = Object(error);
  // Node.js gives the end of a connection the system's code, without a call.
  if (library || (during && syscall === undefined && code !== "ECONNRESET"))
    return {
      kind: "fault",
      // Checks of a certificate are not of that library.
      fault: library ? "tls" : "certificate",
      // Node.js adds the names in a certificate, or advice.
      ...defined({
        code,
        reason: /^[\w ,.'()/-]{1,99}/.exec(`${library ? reason : message}`)?.[0],
      }),
    };
  // WebAssembly has no memory for undici's parser: nothing has been written yet.
  if (error instanceof Error && error.name === "RangeError" && code === undefined)
    return { kind: "fault", fault: "connection", code: "ENOMEM", note: NO_MEMORY };
  if (used !== undefined && /^(undefined$|UND_ERR_(?!INVALID)|HPE|ERR_ASSERTION)/.test(`${code}`))
    return used.readableEnded
      ? { kind: "fault", fault: "connection", code: "ECONNRESET" }
      : { kind: "fault", fault: "malformed" };
  return { kind: "fault", fault: "connection", ...defined({ code }) };
}

/** An error of OpenSSL has a library and a reason. */
interface TlsError extends NodeJS.ErrnoException {
  readonly library: string;
  readonly reason: string;
}

/**
 * The code of an error, if it looks like one: it gets into messages. If several addresses failed,
 * the first one's.
 */
function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { code, errors } = error as { code?: unknown; errors?: unknown };
  if (typeof code === "string" && /^[A-Z][A-Z0-9_]{1,63}$/.test(code)) return code;
  return Array.isArray(errors) ? codeOf(errors[0]) : undefined;
}
