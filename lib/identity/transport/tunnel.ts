import type { LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import type { SecureContext } from "node:tls";
import { Client } from "undici";
import { defined } from "../../tokens";
import { type Connect, ConnectError, callBack, connection, type Target } from "./connector";
import type { HttpProxy } from "./proxy";

/** How connections to a service are made. */
export interface ConnectorOptions {
  /** For the service; undefined for http. */
  readonly context?: SecureContext;
  readonly proxy?: HttpProxy;
  /** For a proxy with TLS. */
  readonly proxyContext?: SecureContext;
  readonly lookup?: LookupFunction;
}

/** Connects to the service, through a proxy if there is one. Certificates are always checked. */
export function connectorOf(options: ConnectorOptions): Connect {
  const { context, proxy, lookup } = options;
  return async (target, signal) => {
    const through = proxy === undefined ? undefined : await tunnel(proxy, target, options, signal);
    return connection(target, { ...defined({ context, lookup, through }) }, signal);
  };
}

/**
 * A connection through a proxy, by CONNECT. Proxy-Authorization and the proxy's answer are never
 * printed. Not with undici's ProxyAgent, which waits forever if a proxy closes or hangs.
 */
async function tunnel(
  proxy: HttpProxy,
  { hostname, port }: Target,
  { proxyContext, lookup }: ConnectorOptions,
  signal: AbortSignal,
): Promise<Duplex> {
  const client = new Client(proxy.origin, {
    headersTimeout: 0,
    connect: (target, done) =>
      callBack(connection(target, defined({ context: proxyContext, lookup }), signal), done),
  });
  const path = `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port || 443}`;
  const authorization = proxy.authorization?.reveal();
  const headers = { host: path, ...defined({ "proxy-authorization": authorization }) };
  const { statusCode: status, socket } = await client.connect({ path, headers, signal });
  // No bytes directly after the proxy's answer: in TLS the server never speaks first.
  if (status === 200 && socket.readableLength === 0) return socket;
  socket.destroy();
  if (status === 200) throw new ConnectError({ kind: "fault", fault: "malformed" });
  throw new ConnectError({ kind: "fault", fault: "proxy_status", status });
}
