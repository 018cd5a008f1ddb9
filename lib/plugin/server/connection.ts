import { faultName } from "../faults";
import type { Peer } from "../grpc/server";
import { GRPC_STATUS, GrpcError } from "../grpc/status";
import type { UnaryHandler } from "../grpc/unary-call";
import type { Log } from "../provider";
import type { Session } from "./session";

const PROVIDER_SERVICE = "/tfplugin6.Provider/";
const GET_SCHEMA = "GetProviderSchema";
const SHUTDOWN = "/plugin.GRPCController/Shutdown";

/** A session for which the server does not know what the provider has configured. */
type AnySession = Pick<Session<unknown>, "answer" | "interrupt" | "end">;

/** A provider with the methods of the protocol. */
export interface ServedProvider {
  /** Begins the session of a connection. */
  begin(log: Log): AnySession;
  /**
   * Preparations for later calls, in pieces of a few milliseconds: for pauses in which nobody
   * waits.
   */
  readonly warmUp?: readonly (() => unknown)[];
}

interface ConnectionOptions {
  /** The answer to GetProviderSchema. By default the provider encodes it. */
  readonly schema?: Uint8Array | undefined;
  readonly log: Log;
  /** Begins the session: called once, with the first request that needs the provider. */
  begin(): Promise<AnySession>;
  /** The connection has ended and been released. */
  onEnded(): void;
}

/** A peer, and the session that it has from its first request to the provider on. */
export class Connection {
  #session: Promise<AnySession> | undefined;

  constructor(
    readonly peer: Peer,
    private readonly options: ConnectionOptions,
  ) {}

  unary(path: string): UnaryHandler | undefined {
    // Terraform then closes the connection.
    if (path === SHUTDOWN) return () => this.end().then(() => new Uint8Array(0));
    if (!path.startsWith(PROVIDER_SERVICE)) return undefined;
    const name = path.slice(PROVIDER_SERVICE.length);
    const { schema } = this.options;
    if (name === GET_SCHEMA && schema !== undefined) return async () => schema;
    return async (request, call) => {
      const answer = (await this.#begun()).answer(name, request, call);
      if (answer === undefined)
        throw new GrpcError(GRPC_STATUS.UNIMPLEMENTED, `${name} is not implemented.`);
      return answer;
    };
  }

  closed(): void {
    void this.end().then(() => this.options.onEnded());
  }

  /** Ends the waits of the session; everything that it holds stays. */
  interrupt(): void {
    void this.#session?.then((session) => session.interrupt(), ignore);
  }

  /** Ends the session, and releases everything that it holds. Nothing more is answered. */
  async end(): Promise<void> {
    this.peer.held.end();
    await this.#session?.then((session) => session.end(), ignore);
  }

  async #begun(): Promise<AnySession> {
    this.#session ??= this.options.begin();
    try {
      return await this.#session;
    } catch (error) {
      const fault = faultName(error);
      this.options.log("error", "the provider cannot be loaded", { fault });
      throw new GrpcError(GRPC_STATUS.INTERNAL, `The provider cannot be loaded (${fault}).`);
    }
  }
}

function ignore(): void {}
