import * as http from "node:http";
import * as https from "node:https";
import { isIP, type LookupFunction, type Socket } from "node:net";
import type { SecureContext } from "node:tls";
import buildConnector from "undici/lib/core/connect.js";
import type { HttpProxy } from "./proxy";
import { faultOf } from "./socket-fault";
import type { Fault } from "./transport";

/** How connections are made. */
export interface ConnectorOptions {
  readonly connectMs: number;
  /** For the service; undefined for http. */
  readonly context?: SecureContext;
  readonly proxy?: HttpProxy;
  /** For a proxy that is reached by TLS. */
  readonly proxyContext?: SecureContext;
  readonly lookup?: LookupFunction;
}

/** Carries a fault through undici, which tries for ever when it meets certain codes of its own while it connects. */
export class ConnectError extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super("no connection");
    this.name = "ConnectError";
    this.fault = fault;
  }
}

/** Makes a connection. */
export type Connect = ReturnType<typeof buildConnector>;

/** Connects to the service, through a proxy when there is one. Certificates are always checked. */
export function connectorOf(options: ConnectorOptions): Connect {
  const { proxy } = options;
  const connect = buildConnector({
    timeout: options.connectMs,
    ...(options.lookup === undefined ? {} : { lookup: options.lookup }),
    ...(options.context === undefined ? {} : { secureContext: options.context }),
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED has no effect.
    rejectUnauthorized: true,
  });
  return (target, callback) => {
    const done: typeof callback = (...[error, socket]) => {
      if (error === null && socket !== null) callback(null, socket);
      else callback(error instanceof ConnectError ? error : new ConnectError(faultOf(error)), null);
    };
    if (proxy === undefined) {
      connect(target, done);
      return;
    }
    tunnel(
      `${target.hostname.includes(":") ? `[${target.hostname}]` : target.hostname}:${target.port || 443}`,
      proxy,
      options,
    ).then(
      (httpSocket) => connect({ ...target, httpSocket }, done),
      (error) => done(error, null),
    );
  };
}

/** A connection through a proxy to `target`, by CONNECT. Neither Proxy-Authorization nor what the proxy answers is ever shown. */
function tunnel(target: string, proxy: HttpProxy, options: ConnectorOptions): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const request = (proxy.tls ? https : http).request({
      method: "CONNECT",
      host: proxy.host,
      port: proxy.port,
      path: target,
      headers: {
        host: target,
        ...(proxy.authorization === undefined ? {} : { "proxy-authorization": proxy.authorization.reveal() }),
      },
      agent: false,
      rejectUnauthorized: true,
      // Else Node.js takes the service's name, from the header above, for the one in the proxy's certificate.
      ...(proxy.tls ? { servername: isIP(proxy.host) === 0 ? proxy.host : "" } : {}),
      ...(options.proxyContext === undefined ? {} : { secureContext: options.proxyContext }),
      ...(options.lookup === undefined ? {} : { lookup: options.lookup }),
    });
    const fail = (fault: Fault) => {
      clearTimeout(timer);
      request.destroy();
      reject(new ConnectError(fault));
    };
    const timer = setTimeout(() => fail({ kind: "fault", fault: "connect_timeout" }), options.connectMs);
    request.once("connect", (response, socket: Socket, head) => {
      clearTimeout(timer);
      if (response.statusCode === 200 && head.length === 0) {
        resolve(socket);
        return;
      }
      socket.destroy();
      // Bytes right behind the proxy's answer: in TLS the server never speaks first.
      if (response.statusCode === 200) fail({ kind: "fault", fault: "malformed" });
      else fail({ kind: "fault", fault: "proxy_status", status: response.statusCode ?? 0 });
    });
    // Kept for good: an error after the first one must not bring the process down.
    request.on("error", (error) => fail(faultOf(error)));
    request.end();
  });
}
