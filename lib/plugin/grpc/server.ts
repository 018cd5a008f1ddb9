import type { Http2Server, Http2Session, ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import http2 from "node:http2";
import { certificateOf, createTlsServer, type MutualTls } from "../tls/mutual-tls";
import {
  endWithStatus,
  holdStream,
  resetWhenAnswered,
  serveUnary,
  type UnaryHandler,
} from "./call";
import { GRPC_STATUS } from "./status";

/** The other end of a connection. */
export interface Peer {
  /** Its certificate in DER; undefined without TLS. */
  readonly certificate: Uint8Array | undefined;
  /** Ends the streams that are held open for it: its calls to them then end without an error. */
  releaseHeldStreams(): void;
}

/** State of one HTTP/2 connection: created when it opens, notified when it has closed. */
export interface Connection {
  /**
   * Answers a unary call, by its path (`/package.Service/Method`). Undefined if the method is not
   * implemented.
   */
  unary(path: string): UnaryHandler | undefined;
  /** Called once, after the connection has closed. */
  closed(): void;
}

interface GrpcServerOptions {
  readonly tls?: MutualTls | undefined;
  /** Paths of streaming calls that get no data: see {@link holdStream}. */
  readonly heldStreams: ReadonlySet<string>;
  /** Creates the state of a new connection. */
  connect(peer: Peer): Connection;
  /**
   * Called for faults of peers, with the name of the event and the error's code only. The server
   * goes on.
   */
  onFault(event: string, code: string): void;
}

/** A gRPC server over node:http2. No fault of a peer ends the process. */
export interface GrpcServer {
  readonly http2: Http2Server;
  /** Like that of {@link Peer}, for all connections. */
  releaseHeldStreams(): void;
  /** Stops listening and destroys all connections. */
  end(): void;
}

export function createGrpcServer(options: GrpcServerOptions): GrpcServer {
  const server = options.tls === undefined ? http2.createServer() : createTlsServer(options.tls);
  const connections = new Map<Http2Session, Connection>();
  const held = new Map<{ release(): void }, Http2Session>();
  const fault = (event: string) => (error?: unknown) => options.onFault(event, errorCode(error));

  server.on("session", (session: ServerHttp2Session) => {
    // If a peer breaks the protocol, the session emits `error`; without a handler, that would end
    // the process.
    session.on("error", fault("session error"));
    const certificate = options.tls === undefined ? undefined : certificateOf(session);
    if (
      options.tls !== undefined &&
      (certificate === undefined || !options.tls.isClient(certificate))
    ) {
      options.onFault("stranger refused", "");
      session.destroy();
      return;
    }
    const connection = options.connect({
      certificate,
      releaseHeldStreams: () => releaseHeldStreams(session),
    });
    connections.set(session, connection);
    session.on("close", () => {
      connections.delete(session);
      connection.closed();
    });
  });
  server.on("stream", (stream: ServerHttp2Stream, headers) => {
    // First of all: at every later step, the stream may have gone already.
    stream.on("error", fault("stream error"));
    const { session } = stream;
    const connection = session === undefined ? undefined : connections.get(session);
    if (session === undefined || connection === undefined || stream.destroyed) return;
    const path = headers[":path"] ?? "";
    if (headers[":method"] !== "POST" || !headers["content-type"]?.startsWith("application/grpc")) {
      stream.respond({ ":status": 415 }, { endStream: true });
      resetWhenAnswered(stream);
    } else if (options.heldStreams.has(path)) {
      const hold = holdStream(stream);
      held.set(hold, session);
      stream.on("close", () => held.delete(hold));
    } else {
      const handler = connection.unary(path);
      if (handler === undefined)
        endWithStatus(stream, GRPC_STATUS.UNIMPLEMENTED, `${path} is not implemented.`);
      else serveUnary(stream, handler);
    }
  });
  server.on("sessionError", fault("session error"));
  server.on("tlsClientError", fault("TLS error"));
  server.on("clientError", fault("client error"));
  server.on("unknownProtocol", (socket: { destroy(): void }) => {
    options.onFault("unknown protocol", "");
    socket.destroy();
  });

  function releaseHeldStreams(of?: Http2Session): void {
    for (const [hold, session] of held) if (of === undefined || of === session) hold.release();
  }

  return {
    http2: server,
    releaseHeldStreams: () => releaseHeldStreams(),
    end: () => {
      server.close();
      for (const session of connections.keys()) session.destroy();
    },
  };
}

function errorCode(error: unknown): string {
  const code =
    typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" && /^\w{1,64}$/.test(code) ? code : "";
}
