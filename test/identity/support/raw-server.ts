import { createServer, type Socket } from "node:net";
import * as tls from "node:tls";
import { LoopbackServer } from "../../support/loopback-server";

/** One request as its bytes came. */
export interface RawRequest {
  /** From 1, over all connections. */
  readonly number: number;
  /** From 1. */
  readonly connection: number;
  readonly head: string;
  readonly body: string;
  readonly socket: Socket;
}

/** What is done with a request, or the bytes of an answer. */
export type Respond = ((request: RawRequest) => void) | string;

/** A server that answers bytes with bytes, and can do what no HTTP server would. */
export class RawServer extends LoopbackServer {
  readonly requests: RawRequest[] = [];
  connections = 0;

  static async start(respond: Respond, secure?: tls.TlsOptions): Promise<RawServer> {
    const server = secure === undefined ? createServer() : tls.createServer(secure);
    const raw = new RawServer(server);
    server.on(secure === undefined ? "connection" : "secureConnection", (socket: Socket) =>
      raw.#serve(socket, typeof respond === "string" ? say(respond) : respond),
    );
    if (secure !== undefined) server.on("connection", (socket: Socket) => raw.keep(socket));
    return raw.listen();
  }

  #serve(socket: Socket, respond: (request: RawRequest) => void): void {
    this.keep(socket);
    const connection = ++this.connections;
    let bytes = "";
    socket.on("data", (chunk) => {
      bytes += chunk.toString("latin1");
      for (;;) {
        const end = bytes.indexOf("\r\n\r\n");
        const length = Number(/content-length: (\d+)/i.exec(bytes.slice(0, end))?.[1] ?? 0);
        if (end < 0 || bytes.length < end + 4 + length) return;
        const request = {
          number: this.requests.length + 1,
          connection,
          head: bytes.slice(0, end),
          body: Buffer.from(bytes.slice(end + 4, end + 4 + length), "latin1").toString("utf8"),
          socket,
        };
        bytes = bytes.slice(end + 4 + length);
        this.requests.push(request);
        respond(request);
      }
    });
  }
}

/** A server that does something with a connection before anything comes. */
export class PlainServer extends LoopbackServer {
  static async start(serve: (socket: Socket) => void = () => {}): Promise<PlainServer> {
    const server = createServer();
    const plain = new PlainServer(server);
    server.on("connection", (socket: Socket) => {
      plain.keep(socket);
      serve(socket);
    });
    return plain.listen();
  }
}

/** Answers a request with bytes. */
export const say =
  (text: string) =>
  ({ socket }: RawRequest) =>
    socket.write(text, "latin1");

/** An answer as bytes: a head with a correct length, and the body. */
export function answerText(status: string, headers: readonly string[] = [], body = ""): string {
  return [
    `HTTP/1.1 ${status}`,
    ...headers,
    `Content-Length: ${Buffer.byteLength(body)}`,
    "",
    body,
  ].join("\r\n");
}
