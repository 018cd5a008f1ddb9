import { once } from "node:events";
import { connect as connectSocket, isIP, type LookupFunction, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls, type SecureContext } from "node:tls";
import { defined } from "../../tokens";
import type { Fault } from "./transport";

/** The target of a connection. */
export interface Target {
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
}

/** That of an address. */
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
}

/** A connection to the target itself. Certificates are always checked. */
export async function connection(
  { host, port }: Target,
  { context, lookup, through }: ConnectionOptions,
  signal: AbortSignal,
): Promise<Socket> {
  const target = { host, port, ...defined({ lookup }) };
  const socket =
    context === undefined
      ? connectSocket(target)
      : connectTls({
          ...target,
          ...defined({ socket: through }),
          servername: serverName(host),
          secureContext: context,
          ALPNProtocols: ["http/1.1"],
          // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED has no effect.
          rejectUnauthorized: true,
        });
  socket.setNoDelay(true);
  // Kept permanently: a second error must not end the process.
  socket.on("error", () => {});
  try {
    await once(socket, context === undefined ? "connect" : "secureConnect", { signal });
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return socket;
}

/**
 * The name for the certificate: not for an IP address, and without the final dot of a fully
 * qualified name (RFC 6066, section 3).
 */
const serverName = (host: string) => (isIP(host) === 0 ? host.replace(/\.$/, "") : "");
