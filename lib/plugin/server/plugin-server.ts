import type { Http2Server } from "node:http2";
import { faultName } from "../faults";
import type { UnaryHandler } from "../grpc/call";
import { type Connection, createGrpcServer, type GrpcServer, type Peer } from "../grpc/server";
import { GRPC_STATUS, GrpcError } from "../grpc/status";
import type { Log } from "../provider";
import type { MutualTls } from "../tls/mutual-tls";

const PROVIDER_SERVICE = "/tfplugin6.Provider/";
const GET_SCHEMA = "GetProviderSchema";
/** Even work that grows with the square of a smaller request takes less than a second. */
const LARGE_REQUEST_BYTES = 16_384;
const SHUTDOWN = "/plugin.GRPCController/Shutdown";
/** go-plugin opens it at once and reads it for the whole life of the connection. */
const STDIO = "/plugin.GRPCStdio/StreamStdio";

/** What a connection has to do with the provider: its session, and the methods that it may call. */
export interface ServedSession {
  readonly methods: ReadonlyMap<string, UnaryHandler>;
  /** Ends the waits of the session; everything that it holds stays. */
  interrupt(): void;
  /** Ends the session, and releases everything that it holds. */
  end(): Promise<void>;
}

/** A provider with the methods of the protocol. */
export interface ServedProvider {
  /** Begins the session of a connection. */
  begin(log: Log): ServedSession;
  /**
   * What later calls would otherwise have to do first, in pieces of a few milliseconds: for pauses
   * in which nobody waits.
   */
  readonly warmUp?: readonly (() => unknown)[];
}

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
  /** A call with much data has arrived; nothing has read it yet. */
  onLargeRequest?(): void;
  /** A connection was made. */
  onConnected?(peer: Peer): void;
  /** A connection has ended and been released. */
  onDisconnected?(peer: Peer): void;
  /** A connection has requested Shutdown; the answer is being sent. */
  onShutdown?(peer: Peer): void;
}

/** The server of a provider, the same for every way to start. */
export class PluginServer {
  readonly http2: Http2Server;
  readonly #grpc: GrpcServer;
  readonly #load: () => Promise<ServedProvider>;
  readonly #connections = new Set<ServedConnection>();
  #interrupted = false;

  constructor(options: PluginServerOptions) {
    const { log } = options;
    this.#load = once(async () => options.load());
    const serve = async (): Promise<ServedSession> => {
      const served = (await this.#load()).begin(log);
      if (this.#interrupted) served.interrupt();
      return served;
    };
    this.#grpc = createGrpcServer({
      tls: options.tls,
      heldStreams: new Set([STDIO]),
      onFault: (event, code) => log("debug", "a connection failed", { event, code }),
      connect: (peer) => {
        const connection = new ServedConnection(serve, options, peer, () => {
          this.#connections.delete(connection);
          options.onDisconnected?.(peer);
        });
        this.#connections.add(connection);
        options.onConnected?.(peer);
        return connection;
      },
    });
    this.http2 = this.#grpc.http2;
  }

  /** Number of connections, including those that have ended but are not yet released. */
  get connections(): number {
    return this.#connections.size;
  }

  /** Loads the provider, if it is not yet loaded. */
  load(): Promise<ServedProvider> {
    return this.#load();
  }

  /** Ends the waits of all sessions, or only of the current ones; what they hold stays. */
  interrupt({ later }: { readonly later: boolean }): void {
    this.#interrupted ||= later;
    for (const connection of this.#connections) connection.interrupt();
  }

  /** Ends all connections and releases everything that they hold. */
  async end(): Promise<void> {
    const ending = [...this.#connections].map((connection) => connection.end());
    this.#grpc.releaseHeldStreams();
    await Promise.all(ending);
    this.#grpc.end();
  }
}

class ServedConnection implements Connection {
  /** The session begins with the first request that needs the provider. */
  #starting: Promise<ServedSession> | undefined;
  #served: ServedSession | undefined;

  constructor(
    private readonly serve: () => Promise<ServedSession>,
    private readonly options: PluginServerOptions,
    private readonly peer: Peer,
    private readonly onEnded: () => void,
  ) {}

  unary(path: string): UnaryHandler | undefined {
    if (path === SHUTDOWN) return () => this.#shutdown();
    if (!path.startsWith(PROVIDER_SERVICE)) return undefined;
    const name = path.slice(PROVIDER_SERVICE.length);
    const { schema } = this.options;
    if (name === GET_SCHEMA && schema !== undefined) return async () => schema;
    return async (request, call) => {
      if (request.length > LARGE_REQUEST_BYTES) this.options.onLargeRequest?.();
      const handler = (await this.#methods()).get(name);
      if (handler === undefined)
        throw new GrpcError(GRPC_STATUS.UNIMPLEMENTED, `${name} is not implemented.`);
      return handler(request, call);
    };
  }

  closed(): void {
    void this.end().then(this.onEnded);
  }

  interrupt(): void {
    this.#served?.interrupt();
  }

  async end(): Promise<void> {
    await this.#starting?.then((served) => served.end(), ignore);
  }

  async #shutdown(): Promise<Uint8Array> {
    await this.end();
    this.peer.releaseHeldStreams();
    setImmediate(() => this.options.onShutdown?.(this.peer));
    return new Uint8Array(0);
  }

  async #methods(): Promise<ServedSession["methods"]> {
    this.#starting ??= this.serve();
    try {
      this.#served = await this.#starting;
      return this.#served.methods;
    } catch (error) {
      const fault = faultName(error);
      this.options.log("error", "the provider cannot be loaded", { fault });
      throw new GrpcError(GRPC_STATUS.INTERNAL, `The provider cannot be loaded (${fault}).`);
    }
  }
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function ignore(): void {}
