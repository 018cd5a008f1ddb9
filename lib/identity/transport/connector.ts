import { once } from "node:events";
import { connect as connectSocket, isIP, type LookupFunction, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls, type SecureContext } from "node:tls";
import type { buildConnector } from "undici";
import { defined } from "../../tokens";
import { faultOf } from "./socket-fault";
import type { Fault } from "./transport";

/** Where a connection leads, as undici says it: no brackets, "" for a usual port. */
export type Target = Pick<buildConnector.Options, "hostname" | "port">;

/**
 * Makes a connection that a request can be written to; an aborted signal ends it while it is made.
 */
export type Connect = (target: Target, signal: AbortSignal) => Promise<Socket>;

/**
 * Carries a fault through undici, which tries for ever when it meets certain codes of its own while
 * it connects, and publishes the texts of errors.
 */
export class ConnectError extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super("no connection");
    this.name = "ConnectError";
    this.fault = fault;
  }
}

/** A promised connection, as undici wants it. */
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
  /** One to the same target by a proxy, for TLS to be spoken over. */
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
  // Kept for good: an error after the first one must not bring the process down.
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
 * The name that a certificate is asked for by: an address is none, and the dot that makes a name a
 * full one is no part of it (RFC 6066, section 3).
 */
const serverName = (host: string) => (isIP(host) === 0 ? host.replace(/\.$/, "") : "");
