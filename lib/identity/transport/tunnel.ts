import type { Duplex } from "node:stream";
import { defined } from "../../tokens";
import type { Limits } from "../limits";
import type { Target } from "./connector";
import type { HttpProxy } from "./proxy";
import { connectOn } from "./single-use-client";
import { FaultError, faultOf } from "./socket-fault";

/**
 * Turns a connection to a proxy into one to the target, by CONNECT. Proxy-Authorization and the
 * proxy's answer are never printed. Not with undici's ProxyAgent, which waits forever if a proxy
 * closes or hangs.
 */
export async function tunnel(
  socket: Duplex,
  { origin, authorization }: HttpProxy,
  { host, port }: Target,
  limits: Limits,
  signal: AbortSignal,
): Promise<void> {
  const path = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const headers = {
    host: path,
    ...defined({ "proxy-authorization": authorization?.reveal() }),
  };
  try {
    const { statusCode: status } = await connectOn(socket, origin, path, headers, limits, signal);
    // Any 2xx is a tunnel (RFC 9110, section 9.3.6).
    if (status < 200 || status > 299)
      throw new FaultError({ kind: "fault", fault: "proxy_status", status });
    // No bytes directly after the proxy's answer: in TLS the server never speaks first.
    if (socket.readableLength > 0) throw new FaultError({ kind: "fault", fault: "malformed" });
  } catch (error) {
    socket.destroy();
    throw error instanceof FaultError ? error : new FaultError(faultOf(error, socket));
  }
}
