import { Agent, ClientRequest } from "node:http";
import { type RequestOptions, Agent as TlsAgent } from "node:https";
import { connect as connectSocket, isIP, type LookupFunction, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls, type SecureContext } from "node:tls";
import type { HttpProxy } from "./proxy";
import { faultOf } from "./socket-fault";
import type { Fault } from "./transport";

/** How connections are made. */
export interface ConnectorOptions {
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Longest wait for a connection, in milliseconds; behind a proxy once for each of both. */
  readonly connectMs: number;
  /** For the service; undefined for http. */
  readonly context?: SecureContext;
  readonly proxy?: HttpProxy;
  /** For a proxy that is reached by TLS. */
  readonly proxyContext?: SecureContext;
  readonly lookup?: LookupFunction;
}

/** Carries a fault through Node.js, as the error of a request. */
export class ConnectError extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super("no connection");
    this.name = "ConnectError";
    this.fault = fault;
  }
}

/**
 * Makes a connection that a request can be written to. Rejects with a {@link ConnectError}, also
 * when the signal is aborted.
 */
export type Connect = (signal: AbortSignal) => Promise<Duplex>;

/** Connects to the service, through a proxy when there is one. Certificates are always checked. */
export function connectorOf(options: ConnectorOptions): Connect {
  const { proxy } = options;
  return async (signal) => {
    const through = proxy === undefined ? undefined : await tunnel(proxy, options, signal);
    return connection(options, through, signal);
  };
}

/**
 * A connection to the service itself. @param through one to it by a proxy, for TLS to be spoken
 * over
 */
function connection(
  options: ConnectorOptions,
  through: Socket | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  const { host, port, context, lookup } = options;
  const target = { host, port, ...(lookup === undefined ? {} : { lookup }) };
  return settled(options.connectMs, signal, (done, fail) => {
    const socket =
      context === undefined
        ? connectSocket(target, () => done(socket))
        : connectTls(
            {
              ...target,
              ...(through === undefined ? {} : { socket: through }),
              servername: serverName(host),
              secureContext: context,
              ALPNProtocols: ["http/1.1"],
              // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED has no effect.
              rejectUnauthorized: true,
            },
            () => done(socket),
          );
    socket.setNoDelay(true);
    // Kept for good: an error after the first one must not bring the process down.
    socket.on("error", (error) => fail(faultOf(error)));
    return socket;
  });
}

/**
 * A connection through a proxy, by CONNECT. Neither Proxy-Authorization nor what the proxy answers
 * is ever shown.
 */
function tunnel(proxy: HttpProxy, options: ConnectorOptions, signal: AbortSignal): Promise<Socket> {
  const target = `${options.host.includes(":") ? `[${options.host}]` : options.host}:${options.port}`;
  return settled(options.connectMs, signal, (done, fail) => {
    const connecting: RequestOptions = {
      method: "CONNECT",
      protocol: proxy.tls ? "https:" : "http:",
      host: proxy.host,
      port: proxy.port,
      path: target,
      setHost: false,
      agent: proxy.tls ? new TlsAgent() : new Agent(),
      rejectUnauthorized: true,
      ...(proxy.tls ? { servername: serverName(proxy.host) } : {}),
      ...(options.proxyContext === undefined ? {} : { secureContext: options.proxyContext }),
      ...(options.lookup === undefined ? {} : { lookup: options.lookup }),
    };
    // Not by http.request, which others may have replaced.
    const request = new ClientRequest(connecting);
    // No options of the request: Node.js writes those out by NODE_DEBUG=http.
    request.setHeader("host", target);
    if (proxy.authorization !== undefined)
      request.setHeader("proxy-authorization", proxy.authorization.reveal());
    request.once("connect", (response, socket: Socket, head) => {
      if (response.statusCode === 200 && head.length === 0) {
        done(socket);
        return;
      }
      socket.destroy();
      // Bytes right behind the proxy's answer: in TLS the server never speaks first.
      if (response.statusCode === 200) fail({ kind: "fault", fault: "malformed" });
      else fail({ kind: "fault", fault: "proxy_status", status: response.statusCode ?? 0 });
    });
    // Kept for good, as above.
    request.on("error", (error) => fail(faultOf(error)));
    request.end();
    return request;
  });
}

/** What becomes of a try to connect within its time; one that fails is ended. */
function settled(
  milliseconds: number,
  signal: AbortSignal,
  start: (done: (socket: Socket) => void, fail: (fault: Fault) => void) => { destroy(): unknown },
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const cancelled: Fault = { kind: "fault", fault: "cancelled" };
    if (signal.aborted) throw new ConnectError(cancelled);
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    };
    const fail = (fault: Fault) => {
      end();
      started.destroy();
      reject(new ConnectError(fault));
    };
    const onAbort = () => fail(cancelled);
    // First: when it throws, nothing is left behind.
    const started = start((socket) => {
      end();
      resolve(socket);
    }, fail);
    const timer = setTimeout(() => fail({ kind: "fault", fault: "connect_timeout" }), milliseconds);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

/**
 * The name that a certificate is asked for by: an address is none, and the dot that makes a name a
 * full one is no part of it (RFC 6066, section 3).
 */
const serverName = (host: string) => (isIP(host) === 0 ? host.replace(/\.$/, "") : "");
