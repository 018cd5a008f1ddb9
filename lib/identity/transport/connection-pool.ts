import { Agent, type ClientRequest, type ClientRequestArgs } from "node:http";
import type { Duplex } from "node:stream";
import type { Connect } from "./connector";

export interface ConnectionPoolOptions {
  readonly connect: Connect;
  /** How many idle connections are kept. */
  readonly idle: number;
}

/** A request for which a connection may have to be made. */
export interface PooledRequest extends ClientRequestArgs {
  /** Aborted when a connection is of no use any more: one that is still being made is ended. */
  readonly over: AbortSignal;
  /**
   * The connector's business. Left out, Node.js looks whether the host is an address, by a pattern
   * that takes 5 ms to compile.
   */
  readonly servername: "";
}

/**
 * Below the 5 s after which Keystone's server closes an idle connection: whoever closes first must
 * be us, or a request gets lost.
 */
const KEEP_ALIVE_MS = 3_500;

/**
 * The connections to one service, each kept a while for the next request. How many requests run at
 * once is for others to say.
 */
export class ConnectionPool extends Agent {
  readonly #connect: Connect;
  #retired = false;

  constructor({ connect, idle }: ConnectionPoolOptions) {
    super({ keepAlive: true, maxFreeSockets: idle, timeout: KEEP_ALIVE_MS });
    this.#connect = connect;
  }

  // The other way that Node.js has for it: the connection comes later, when a request can be
  // written to it.
  override createConnection(
    { over }: PooledRequest,
    done?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    this.#connect(over).then(
      (socket) => done?.(null, socket),
      (error) => done?.(error, undefined as never),
    );
  }

  /** Whether an idle connection is kept; Node.js's own part heeds what the service says of it. */
  override keepSocketAlive(socket: Duplex): boolean {
    // Its types know nothing of the answer.
    const isKept: unknown = super.keepSocketAlive(socket);
    if (isKept !== true || this.#retired) return false;
    // Nothing may come while nothing is asked: it would be taken for the answer to the next
    // request.
    socket.on("data", unasked);
    return true;
  }

  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    socket.off("data", unasked);
    super.reuseSocket(socket, request);
  }

  /** Keeps no connection any more; requests under way go on. */
  retire(): void {
    this.#retired = true;
    for (const socket of Object.values(this.freeSockets).flat()) socket?.destroy();
  }
}

function unasked(this: Duplex): void {
  this.destroy();
}
