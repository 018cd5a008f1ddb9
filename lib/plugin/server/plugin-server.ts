import type { Http2Server } from "node:http2";
import { createGrpcServer, type Peer } from "../grpc/server";
import type { Log } from "../provider";
import type { MutualTls } from "../tls/mutual-tls";
import { Connection, type ServedProvider } from "./connection";

/** go-plugin opens it at once and reads it for the whole life of the connection. */
const STDIO = "/plugin.GRPCStdio/StreamStdio";

interface PluginServerOptions {
  /**
   * Loads the provider: called once, with the first request that needs it, or by
   * {@link PluginServer.load}.
   */
  readonly load: () => ServedProvider;
  /** The answer to GetProviderSchema. By default the provider is loaded and encodes it. */
  readonly schema?: Uint8Array | undefined;
  readonly log: Log;
  readonly tls?: MutualTls | undefined;
  /** A connection was made. */
  onConnected?(): void;
  /** A connection has ended and been released. */
  onDisconnected?(peer: Peer): void;
}

/** The server of a provider, the same for every way to start. */
export class PluginServer {
  readonly http2: Http2Server;
  readonly #connections = new Set<Connection>();
  #provider: Promise<ServedProvider> | undefined;
  #interrupted = false;

  constructor(private readonly options: PluginServerOptions) {
    const { tls, log } = options;
    this.http2 = createGrpcServer({
      tls,
      heldStreams: [STDIO],
      onFault: (event, fault = "") => log("debug", "a connection failed", { event, fault }),
      connect: (peer) => this.#connect(peer),
    });
  }

  /** Number of connections, including those that have ended but are not yet released. */
  get connections(): number {
    return this.#connections.size;
  }

  /** Loads the provider, if it is not yet loaded. */
  load(): Promise<ServedProvider> {
    this.#provider ??= new Promise((resolve) => resolve(this.options.load()));
    return this.#provider;
  }

  /** Ends the waits of all sessions, or only of the current ones; what they hold stays. */
  interrupt({ later }: { readonly later: boolean }): void {
    this.#interrupted ||= later;
    for (const connection of this.#connections) connection.interrupt();
  }

  /** Ends all connections and releases everything that they hold. */
  async end(): Promise<void> {
    const connections = [...this.#connections];
    await Promise.all(connections.map((connection) => connection.end()));
    this.http2.close();
    for (const { peer } of this.#connections) peer.end();
  }

  #connect(peer: Peer): Connection {
    const { options } = this;
    const connection = new Connection(peer, {
      ...options,
      begin: async () => {
        const session = (await this.load()).begin(options.log);
        if (this.#interrupted) session.interrupt();
        return session;
      },
      onEnded: () => {
        this.#connections.delete(connection);
        options.onDisconnected?.(peer);
      },
    });
    this.#connections.add(connection);
    options.onConnected?.();
    return connection;
  }
}
