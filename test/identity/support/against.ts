import { createServer, type LookupFunction, type Socket } from "node:net";
import * as tls from "node:tls";
import { IdentityClient, type IdentityClientOptions } from "../../../lib/identity";
import { LoopbackServer } from "../../support/loopback-server";
import { type PasswordRequest, requestAt, TOKEN_CANARY } from "./wanted";

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

/** Answers a request with bytes. */
const say =
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

export const TOKEN = `X-Subject-Token: ${TOKEN_CANARY}`;
export const ISSUED = answerText("201 Created", [TOKEN]);

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

/** It is closed after the test. */
export function closing<Opened extends { close(): Promise<void> }>(each: Opened): Opened {
  opened.push(each);
  return each;
}

/** A client whose waits between tries take no time. */
export const clientWith = (options: IdentityClientOptions = {}) =>
  closing(new IdentityClient({ random: () => 0.5, sleep: async () => {}, ...options }));

/** A server that answers bytes with bytes, and can do what no HTTP server would. */
class RawServer extends LoopbackServer {
  readonly requests: RawRequest[] = [];

  serve(socket: Socket, respond: (request: RawRequest) => void): void {
    socket.on("error", () => {});
    const connection = this.connections;
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

/**
 * One that answers with this, by default with a token; by TLS with `secure`. Before a request comes,
 * `greet` may do something with the connection.
 */
export async function serverWith(
  respond: Respond = ISSUED,
  secure?: tls.TlsOptions,
  greet: (socket: Socket) => void = () => {},
): Promise<RawServer> {
  const server = secure === undefined ? createServer() : tls.createServer(secure);
  const raw = new RawServer(server);
  server.on("connection", greet);
  server.on(secure === undefined ? "connection" : "secureConnection", (socket: Socket) =>
    raw.serve(socket, typeof respond === "string" ? say(respond) : respond),
  );
  return closing(await raw.listen());
}

/** A request to a server at this machine's address. */
export const at = ({ port }: LoopbackServer, over: Partial<PasswordRequest> = {}) =>
  requestAt(`${over.tls === undefined ? "http" : "https"}://127.0.0.1:${port}`, over);

/** Every name is this machine: nothing leaves it. */
export const LOOPBACK: LookupFunction = (_host, _options, done) =>
  done(null, [{ address: "127.0.0.1", family: 4 }]);
