import { once } from "node:events";
import { isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { checkServerIdentity, connect as connectTls, type SecureContext } from "node:tls";
import type { Target } from "./addresses";
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

/**
 * TLS over a connection to a host, or over a tunnel to it. Certificates are always checked, and
 * compared with the host that was given.
 */
export async function secured(
  plain: Duplex,
  host: string,
  secureContext: SecureContext,
  signal: AbortSignal,
): Promise<Socket> {
  const socket = connectTls({
    socket: plain,
    secureContext,
    servername: serverName(host),
    // Explicit: of a socket that is already open, Node.js knows no IP address, and would compare
    // with the name `localhost`.
    checkServerIdentity: (_name, certificate) => checkServerIdentity(host, certificate),
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
    plain.destroy();
    throw error;
  }
  return socket;
}

/**
 * The name that selects a certificate: not for an IP address, and without the final dot of a fully
 * qualified name (RFC 6066, section 3).
 */
const serverName = (host: string) => (isIP(host) === 0 ? host.replace(/\.$/, "") : "");
