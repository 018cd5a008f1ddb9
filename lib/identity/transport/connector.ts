import { once } from "node:events";
import { isIP, type LookupFunction, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls, type SecureContext } from "node:tls";
import { defined } from "../../tokens";
import { connectFirst, type Target } from "./addresses";
import type { Fault } from "./transport";

/** The target of a connection to an address. */
export function targetOf({ protocol, hostname, port }: URL): Target {
  return {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port || (protocol === "https:" ? 443 : 80)),
  };
}

/**
 * Makes a connection that is ready for a request; aborting the signal cancels this.
 */
export type Connect = (target: Target, signal: AbortSignal) => Promise<Socket>;

/** An error of a connection that has more to say than a code. */
export class ConnectError extends Error {
  constructor(readonly fault: Fault) {
    super("no connection");
    this.name = "ConnectError";
  }
}

/** How a connection is made. */
export interface ConnectionOptions {
  readonly context?: SecureContext;
  readonly lookup?: LookupFunction;
  /** A connection to the same target through a proxy, which TLS will use. */
  readonly through?: Duplex;
  /** The other side has accepted the connection; TLS is to begin. */
  readonly accepted?: () => void;
}

/** A connection to the target itself. Certificates are always checked. */
export async function connection(
  target: Target,
  { context, lookup, through, accepted }: ConnectionOptions,
  signal: AbortSignal,
): Promise<Socket> {
  const plain = through === undefined ? await connectFirst(target, lookup, signal) : undefined;
  if (context === undefined && plain !== undefined) return plain;
  accepted?.();
  const socket = connectTls({
    ...defined({ socket: plain ?? through, secureContext: context }),
    servername: serverName(target.host),
    ALPNProtocols: ["http/1.1"],
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED has no effect.
    rejectUnauthorized: true,
  });
  // Kept permanently: a second error must not end the process.
  socket.on("error", () => {});
  try {
    await once(socket, "secureConnect", { signal });
  } catch (error) {
    socket.destroy();
    plain?.destroy();
    throw error;
  }
  return socket;
}

/**
 * The name for the certificate: not for an IP address, and without the final dot of a fully
 * qualified name (RFC 6066, section 3).
 */
const serverName = (host: string) => (isIP(host) === 0 ? host.replace(/\.$/, "") : "");
