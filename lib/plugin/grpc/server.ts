import type { Http2Server, ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import http2 from "node:http2";
import { faultName } from "../faults";
import { certificateOf, createTlsServer, type MutualTls } from "../tls/mutual-tls";
import { endWithError, endWithHeaders } from "./answer";
import { HeldStreams } from "./held-streams";
import { GRPC_STATUS } from "./status";
import { serveUnary, type UnaryHandler } from "./unary-call";

/** The other end of a connection. */
export interface Peer {
  /** Its certificate in DER; undefined without TLS. */
  readonly certificate: Uint8Array | undefined;
  /** Its calls that get no data. */
  readonly held: HeldStreams;
  /** Breaks the connection off. */
  end(): void;
}

/** How a connection is served. */
interface ConnectionHandlers {
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
  /** Paths of streaming calls that get no data: see {@link HeldStreams}. */
  readonly heldStreams: readonly string[];
  /** Called for each new connection. */
  connect(peer: Peer): ConnectionHandlers;
  /**
   * Called for faults of peers, with the names of the event and of the error. The server goes on.
   */
  onFault(event: string, fault?: string): void;
}

/** A gRPC server over node:http2. No fault of a peer ends the process. */
export function createGrpcServer(options: GrpcServerOptions): Http2Server {
  const { tls, onFault } = options;
  const server = tls === undefined ? http2.createServer() : createTlsServer(tls);
  const fault = (event: string) => (error?: unknown) => onFault(event, faultName(error));

  server.on("session", (session: ServerHttp2Session) => {
    // If a peer breaks the protocol, the session emits `error`; without a handler, that would end
    // the process.
    session.on("error", fault("session error"));
    const certificate = tls && certificateOf(session);
    if (tls !== undefined && (certificate === undefined || !tls.isClient(certificate))) {
      onFault("stranger refused");
      session.destroy();
      return;
    }
    const held = new HeldStreams();
    const connection = options.connect({ certificate, held, end: () => session.destroy() });
    session.on("close", () => connection.closed());
    session.on("stream", (stream: ServerHttp2Stream, headers) => {
      // Before anything else: the peer may have reset the stream already.
      stream.on("error", fault("stream error"));
      if (stream.destroyed) return;
      const path = headers[":path"] ?? "";
      const isGrpc = headers["content-type"]?.startsWith("application/grpc");
      if (headers[":method"] !== "POST" || !isGrpc) endWithHeaders(stream, { ":status": 415 });
      else if (options.heldStreams.includes(path)) held.hold(stream);
      else {
        const handler = connection.unary(path);
        if (handler !== undefined) serveUnary(stream, handler);
        else
          endWithError(stream, {
            code: GRPC_STATUS.UNIMPLEMENTED,
            message: `${path} is not implemented.`,
          });
      }
    });
  });
  server.on("sessionError", fault("session error"));
  server.on("tlsClientError", fault("TLS error"));
  server.on("unknownProtocol", (socket: { destroy(): void }) => {
    onFault("unknown protocol");
    socket.destroy();
  });
  return server;
}
