import type { Socket } from "node:net";
import { Client, type Dispatcher, Pool } from "undici";
import { type Connect, ConnectError, callBack, type Target } from "./connector";
import { type ConnectorOptions, connectorOf } from "./tunnel";

interface PoolOptions extends ConnectorOptions {
  /** Makes connections, instead of those to the service or its proxy. */
  readonly connect?: Connect;
  readonly connections: number;
  /** Limit for an answer. */
  readonly headerBytes: number;
}

/** A request for which a connection may have to be made. */
export interface PooledRequest extends Dispatcher.DispatchOptions {
  /** Aborted when the request is cancelled, and only then. */
  readonly over: AbortSignal;
}

/**
 * Below the 5 s after which Keystone's server closes an idle connection: we must close first, or a
 * request gets lost.
 */
const KEEP_ALIVE_MS = 3_500;

/** Connections to one service: each handles one request at a time and is kept for a while. */
export function connectionPool(origin: string, options: PoolOptions): Pool {
  const { connections, headerBytes, connect = connectorOf(options) } = options;
  return new Pool(origin, {
    connections,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: headerBytes,
    // The collector has the time limits: undici's are coarse, and restart with each byte.
    headersTimeout: 0,
    bodyTimeout: 0,
    factory: (url, options) => {
      const client: SingleClient = new SingleClient(url, {
        ...options,
        connect: (target, done) => callBack(client.newConnection(target, connect), done),
      });
      return client;
    },
  });
}

/** Ends its connection together with its only request, even if it is still being made. */
class SingleClient extends Client {
  #over: AbortSignal | undefined;
  #socket: Socket | undefined;

  override dispatch(request: PooledRequest, handler: Dispatcher.DispatchHandler): boolean {
    const { over } = request;
    // Cancelled while all connections were in use.
    if (over.aborted) return true;
    this.#over = over;
    // Not by undici's own abort, which makes another connection for a cancelled request.
    over.addEventListener("abort", () => this.#socket?.destroy(new Error("given up")), {
      once: true,
    });
    return super.dispatch(request, handler);
  }

  async newConnection(target: Target, connect: Connect): Promise<Socket> {
    const over = this.#over;
    this.#over = undefined;
    // One connection per request: undici would retry forever if each is lost before it is used.
    if (over === undefined || over.aborted)
      throw new ConnectError({ kind: "fault", fault: "connection" });
    this.#socket = await connect(target, over);
    if (over.aborted) this.#socket.destroy();
    return this.#socket;
  }
}
