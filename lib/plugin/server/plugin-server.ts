import type { Http2Server } from "node:http2";
import { faultName } from "../faults";
import type { UnaryHandler } from "../grpc/call";
import { type Connection, createGrpcServer, type Peer } from "../grpc/server";
import { GRPC_STATUS, GrpcError } from "../grpc/status";
import type { Log, Provider } from "../provider";
import type { MutualTls } from "../tls/mutual-tls";
import { blockMethods } from "./block-methods";
import { providerMethods } from "./provider-methods";
import { resourceMethods } from "./resource-methods";
import { DEFAULT_RELEASE_TIMEOUT_MS, ProviderSession } from "./session";
import { encodeProviderSchema } from "./wire-schema";

const PROVIDER_SERVICE = "/tfplugin6.Provider/";
const SHUTDOWN = "/plugin.GRPCController/Shutdown";
/** go-plugin opens it at once and reads it for as long as the connection lives. */
const STDIO = "/plugin.GRPCStdio/StreamStdio";

/**
 * A provider, or how to get it: then it is loaded after the handshake, while Terraform is
 * connecting.
 */
export type ProviderSource<Session> =
  | Provider<Session>
  | (() => Provider<Session> | Promise<Provider<Session>>);

export interface PluginServerOptions<Session> {
  readonly provider: ProviderSource<Session>;
  readonly log: Log;
  readonly tls?: MutualTls | undefined;
  /** Milliseconds that the end of a session waits for `release`; 10 seconds when left out. */
  readonly releaseTimeoutMs?: number | undefined;
  /** A connection was made. */
  onConnected?(peer: Peer): void;
  /** A connection is over and what it held is given back. `left` is how many there are. */
  onDisconnected?(left: number, peer: Peer): void;
  /** Shutdown was asked for on a connection; the answer is on its way. */
  onShutdown?(peer: Peer): void;
}

/** The server of a provider, the same for both kinds of start. */
export interface PluginServer {
  readonly http2: Http2Server;
  /**
   * Loads the provider and makes ready what each connection asks for first. A failure is told to
   * whoever asks.
   */
  prepare(): void;
  /** Ends the waits of all sessions, those to come too; what they hold stays. */
  interrupt(): void;
  /** The same for the sessions that are there. */
  interruptPresent(): void;
  /** Ends all connections and gives back what they hold. */
  close(): Promise<void>;
}

export function createPluginServer<Session>(options: PluginServerOptions<Session>): PluginServer {
  const { log } = options;
  const load = loaderOf(options.provider);
  const ends = new Set<() => Promise<void>>();
  const sessions = new Set<ProviderSession<Session>>();
  let open = 0;
  let interrupted = false;

  const server = createGrpcServer({
    tls: options.tls,
    heldStreams: new Set([STDIO]),
    onFault: (event, code) => log("debug", "a fault of the connection", { event, code }),
    connect: (peer): Connection => {
      open += 1;
      options.onConnected?.(peer);
      const served = lazily(async () => {
        const made = serve(await load(), options);
        sessions.add(made.session);
        if (interrupted) made.session.interrupt();
        return made;
      });
      const end = async (): Promise<void> => {
        if (!served.started()) return;
        await served.get().then(({ session }) => {
          sessions.delete(session);
          return session.end();
        }, ignore);
      };
      ends.add(end);
      return {
        unary: (path) => {
          if (path === SHUTDOWN) {
            return async () => {
              await end();
              peer.releaseHeldStreams();
              setImmediate(() => options.onShutdown?.(peer));
              return new Uint8Array(0);
            };
          }
          if (!path.startsWith(PROVIDER_SERVICE)) return undefined;
          const name = path.slice(PROVIDER_SERVICE.length);
          return async (request, call) => {
            const { methods } = await served.get().catch((error: unknown): never => {
              log("error", "the provider cannot be loaded", { fault: faultName(error) });
              throw new GrpcError(
                GRPC_STATUS.INTERNAL,
                `The provider cannot be loaded (${faultName(error)}).`,
              );
            });
            const handler = methods.get(name);
            if (handler === undefined)
              throw new GrpcError(GRPC_STATUS.UNIMPLEMENTED, `${name} is not implemented.`);
            return handler(request, call);
          };
        },
        closed: () => {
          void end().then(() => {
            ends.delete(end);
            open -= 1;
            options.onDisconnected?.(open, peer);
          });
        },
      };
    },
  });

  const interruptPresent = (): void => {
    for (const session of sessions) session.interrupt();
  };
  return {
    http2: server.http2,
    prepare: () => void load().then(encodeProviderSchema).catch(ignore),
    interrupt: () => {
      interrupted = true;
      interruptPresent();
    },
    interruptPresent,
    close: async () => {
      const ending = [...ends].map((end) => end());
      server.releaseHeldStreams();
      await Promise.all(ending);
      server.destroy();
    },
  };
}

interface Served<Session> {
  readonly session: ProviderSession<Session>;
  readonly methods: ReadonlyMap<string, UnaryHandler>;
}

function serve<Session>(
  provider: Provider<Session>,
  options: PluginServerOptions<Session>,
): Served<Session> {
  const { log } = options;
  const session = new ProviderSession<Session>(
    provider.release?.bind(provider),
    options.releaseTimeoutMs ?? DEFAULT_RELEASE_TIMEOUT_MS,
    (error) =>
      log("warn", "what a session held could not be given back", { fault: faultName(error) }),
  );
  const methods = {
    ...providerMethods(provider, session, log),
    ...blockMethods(provider, session, log),
    ...resourceMethods(provider, session, log),
  };
  return { session, methods: new Map(Object.entries(methods)) };
}

/** Loads a provider once, at the first time of asking. */
function loaderOf<Session>(source: ProviderSource<Session>): () => Promise<Provider<Session>> {
  const loaded = lazily(async () => (typeof source === "function" ? source() : source));
  return loaded.get;
}

function lazily<Value>(make: () => Promise<Value>): { get(): Promise<Value>; started(): boolean } {
  let made: Promise<Value> | undefined;
  return {
    get: () => {
      made ??= make();
      return made;
    },
    started: () => made !== undefined,
  };
}

function ignore(): void {}
