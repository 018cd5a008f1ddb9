import type { Http2Server } from "node:http2";
import { faultName } from "../faults";
import type { UnaryHandler } from "../grpc/call";
import { type Connection, createGrpcServer, type GrpcServer, type Peer } from "../grpc/server";
import { GRPC_STATUS, GrpcError } from "../grpc/status";
import type { Log, Provider } from "../provider";
import type { MutualTls } from "../tls/mutual-tls";
import { blockMethods } from "./block-methods";
import { providerMethods } from "./provider-methods";
import { resourceMethods } from "./resource-methods";
import { DEFAULT_RELEASE_TIMEOUT_MS, ProviderSession } from "./session";
import { encodeProviderSchema } from "./wire-schema";

const PROVIDER_SERVICE = "/tfplugin6.Provider/";
/** Even work that grows with the square of a smaller request takes less than a second. */
const LARGE_REQUEST_BYTES = 16_384;
const SHUTDOWN = "/plugin.GRPCController/Shutdown";
/** go-plugin opens it at once and reads it for the whole life of the connection. */
const STDIO = "/plugin.GRPCStdio/StreamStdio";

/**
 * A provider, or a function that loads it after the handshake, while Terraform is connecting.
 */
export type ProviderSource<Session> =
  | Provider<Session>
  | (() => Provider<Session> | Promise<Provider<Session>>);

interface PluginServerOptions<Session> {
  readonly provider: ProviderSource<Session>;
  readonly log: Log;
  readonly tls?: MutualTls | undefined;
  /** How long the end of a session waits for `release`, in milliseconds; 10 seconds by default. */
  readonly releaseTimeoutMs?: number | undefined;
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
export class PluginServer<Session> {
  readonly http2: Http2Server;
  readonly #grpc: GrpcServer;
  readonly #load: () => Promise<Provider<Session>>;
  readonly #connections = new Set<ServedConnection<Session>>();
  #interrupted = false;

  constructor(options: PluginServerOptions<Session>) {
    const { provider, log } = options;
    this.#load = once(async () => (typeof provider === "function" ? provider() : provider));
    const serve = async (): Promise<Served<Session>> => {
      const served = serveSession(await this.#load(), options);
      if (this.#interrupted) served.session.interrupt();
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

  /**
   * Loads the provider and prepares the first answers of every connection. Its callers get an
   * error.
   */
  prepare(): void {
    this.#load().then(encodeProviderSchema).catch(ignore);
  }

  /** Ends the waits of all sessions, including future ones; everything that they hold stays. */
  interrupt(): void {
    this.#interrupted = true;
    this.interruptPresent();
  }

  /** The same, only for the current sessions. */
  interruptPresent(): void {
    for (const connection of this.#connections) connection.interrupt();
  }

  /** Ends all connections and releases everything that they hold. */
  async close(): Promise<void> {
    const ending = [...this.#connections].map((connection) => connection.end());
    this.#grpc.releaseHeldStreams();
    await Promise.all(ending);
    this.#grpc.destroy();
  }
}

/** State of a connection, created by its first request to the provider. */
interface Served<Session> {
  readonly session: ProviderSession<Session>;
  readonly methods: ReadonlyMap<string, UnaryHandler>;
}

class ServedConnection<Session> implements Connection {
  #served: Promise<Served<Session>> | undefined;
  #session: ProviderSession<Session> | undefined;

  constructor(
    private readonly serve: () => Promise<Served<Session>>,
    private readonly options: PluginServerOptions<Session>,
    private readonly peer: Peer,
    private readonly onEnded: () => void,
  ) {}

  unary(path: string): UnaryHandler | undefined {
    if (path === SHUTDOWN) return () => this.#shutdown();
    if (!path.startsWith(PROVIDER_SERVICE)) return undefined;
    const name = path.slice(PROVIDER_SERVICE.length);
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
    this.#session?.interrupt();
  }

  async end(): Promise<void> {
    await this.#served?.then(({ session }) => session.end(), ignore);
  }

  async #shutdown(): Promise<Uint8Array> {
    await this.end();
    this.peer.releaseHeldStreams();
    setImmediate(() => this.options.onShutdown?.(this.peer));
    return new Uint8Array(0);
  }

  async #methods(): Promise<Served<Session>["methods"]> {
    this.#served ??= this.serve();
    try {
      const { session, methods } = await this.#served;
      this.#session = session;
      return methods;
    } catch (error) {
      const fault = faultName(error);
      this.options.log("error", "the provider cannot be loaded", { fault });
      throw new GrpcError(GRPC_STATUS.INTERNAL, `The provider cannot be loaded (${fault}).`);
    }
  }
}

function serveSession<Session>(
  provider: Provider<Session>,
  { log, releaseTimeoutMs }: PluginServerOptions<Session>,
): Served<Session> {
  const session = new ProviderSession<Session>(
    provider.release?.bind(provider),
    releaseTimeoutMs ?? DEFAULT_RELEASE_TIMEOUT_MS,
    (error) =>
      log("warn", "a session's resources could not be released", { fault: faultName(error) }),
  );
  const methods = {
    ...providerMethods(provider, session, log),
    ...blockMethods(provider, session, log),
    ...resourceMethods(provider, session, log),
  };
  return { session, methods: new Map(Object.entries(methods)) };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function ignore(): void {}
