import { once } from "node:events";
import { connect as connectSocket, isIP, type LookupFunction, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls, type SecureContext } from "node:tls";
import type { buildConnector } from "undici";
import { defined } from "../../tokens";
import { faultOf } from "./socket-fault";
import type { Fault } from "./transport";

/** The target of a connection, in undici's form: no brackets, "" for a default port. */
export type Target = Pick<buildConnector.Options, "hostname" | "port">;

/**
 * Makes a connection that is ready for a request; aborting the signal cancels this.
 */
export type Connect = (target: Target, signal: AbortSignal) => Promise<Socket>;

/**
 * Carries a fault through undici, which retries forever after certain codes of its own during a
 * connection, and publishes the messages of errors.
 */
export class ConnectError extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super("no connection");
    this.name = "ConnectError";
    this.fault = fault;
  }
}

/** Passes a promised connection to undici's callback. */
export function callBack(connecting: Promise<Socket>, done: buildConnector.Callback): void {
  connecting.then(
    (socket) => done(null, socket),
    (error) => done(error instanceof ConnectError ? error : new ConnectError(faultOf(error)), null),
  );
}

/** How a connection is made. */
interface ConnectionOptions {
  readonly context?: SecureContext;
  readonly lookup?: LookupFunction;
  /** A connection to the same target through a proxy, which TLS will use. */
  readonly through?: Duplex;
}

/** A connection to the target itself. Certificates are always checked. */
export async function connection(
  { hostname, port }: Target,
  { context, lookup, through }: ConnectionOptions,
  signal: AbortSignal,
): Promise<Socket> {
  const target = { host: hostname, ...defined({ lookup }) };
  const socket =
    context === undefined
      ? connectSocket({ ...target, port: Number(port || 80) })
      : connectTls({
          ...target,
          port: Number(port || 443),
          ...defined({ socket: through }),
          servername: serverName(hostname),
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
