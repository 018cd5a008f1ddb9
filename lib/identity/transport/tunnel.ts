import type { LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import type { SecureContext } from "node:tls";
import { defined } from "../../tokens";
import { type Connect, ConnectError, connection, type Target, targetOf } from "./connector";
import { exchange } from "./exchange";
import type { HttpProxy } from "./proxy";
import { faultIn } from "./socket-fault";

/** How connections through a proxy are made. */
interface TunnelOptions {
  /** For the service; undefined for http. */
  readonly context?: SecureContext;
  /** For a proxy with TLS. */
  readonly proxyContext?: SecureContext;
  readonly lookup?: LookupFunction;
}

/** Connects to the service through a proxy. Certificates are always checked. */
export function throughProxy(proxy: HttpProxy, options: TunnelOptions): Connect {
  const { context, lookup } = options;
  return async (target, signal) => {
    const through = await tunnel(proxy, target, options, signal);
    return connection(target, defined({ context, lookup, through }), signal);
  };
}

/**
 * A connection through a proxy, by CONNECT. Proxy-Authorization and the proxy's answer are never
 * printed. Not with undici's ProxyAgent, which waits forever if a proxy closes or hangs.
 */
async function tunnel(
  proxy: HttpProxy,
  { host, port }: Target,
  { proxyContext: context, lookup }: TunnelOptions,
  signal: AbortSignal,
): Promise<Duplex> {
  const { origin } = proxy;
  const target = targetOf(new URL(origin));
  const socket = await connection(target, defined({ context, lookup }), signal);
  const end = () => socket.destroy();
  signal.addEventListener("abort", end);
  const path = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const authorization = proxy.authorization?.reveal();
  const headers = { host: path, ...defined({ "proxy-authorization": authorization }) };
  try {
    const status = await new Promise<number>((resolve, reject) => {
      exchange(
        socket,
        { origin, method: "CONNECT", path, headers },
        {
          onRequestStart: () => {},
          onRequestUpgrade: (_controller, code) => resolve(code),
          onResponseError: (_controller, error) => reject(new ConnectError(faultIn(socket, error))),
        },
      );
    });
    if (status !== 200) throw new ConnectError({ kind: "fault", fault: "proxy_status", status });
    // No bytes directly after the proxy's answer: in TLS the server never speaks first.
    if (socket.readableLength > 0) throw new ConnectError({ kind: "fault", fault: "malformed" });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener("abort", end);
  }
}
