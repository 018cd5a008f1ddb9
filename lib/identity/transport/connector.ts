import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { checkServerIdentity, connect as connectTls, type SecureContext } from "node:tls";
import { FaultError, faultOf } from "./socket-fault";

/** The target of a connection. */
export interface Target {
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
}

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
export type Connect = (target: Target, signal: AbortSignal) => Promise<Duplex>;

/**
 * A connection to the first address of a host that accepts one. Node.js tries IPv6 and IPv4 in
 * turn; by its default each but the last has 250 ms, which a long way takes.
 */
export function connected(
  { host, port }: Target,
  lookup: LookupFunction | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  const family = { autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 1_000 };
  const resolver = host === "localhost" ? thisMachine : lookup;
  const socket = connect({
    host,
    port,
    noDelay: true,
    ...family,
    ...(resolver && { lookup: resolver }),
  });
  return ready(socket, "connect", signal);
}

/**
 * That name may get a password over http and without a proxy, because it is this machine. If it is
 * missing in the hosts file, as in some containers, a resolver may return another machine.
 *
 * @see RFC 6761, section 6.3
 */
const thisMachine: LookupFunction = (_host, _options, done) =>
  done(null, [
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
  ]);

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
    checkServerIdentity: (_name, certificate) =>
      // By OpenSSL as well: some releases of Node.js find no IPv6 address in a certificate.
      isIP(host) !== 0 && new X509Certificate(certificate.raw).checkIP(host)
        ? undefined
        : checkServerIdentity(host, certificate),
    ALPNProtocols: ["http/1.1"],
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED has no effect.
    rejectUnauthorized: true,
  });
  try {
    return await ready(socket, "secureConnect", signal, plain);
  } catch (error) {
    throw new FaultError(faultOf(error, undefined, "handshake"));
  }
}

/** A socket after an event; it is destroyed with what it is over if that does not come. */
async function ready(
  socket: Socket,
  event: string,
  signal: AbortSignal,
  below: Duplex = socket,
): Promise<Socket> {
  // Kept permanently: a second error must not end the process. By TLS 1.3, a client certificate is
  // refused after our handshake: Node.js only emits that, and undici would only see an end.
  socket.on("error", (error) => socket.destroy(error));
  try {
    await once(socket, event, { signal });
  } catch (error) {
    socket.destroy();
    below.destroy();
    throw error;
  }
  return socket;
}

/**
 * The name that selects a certificate: not for an IP address, and without the final dot of a fully
 * qualified name (RFC 6066, section 3).
 */
const serverName = (host: string) => (isIP(host) === 0 ? host.replace(/\.$/, "") : "");
