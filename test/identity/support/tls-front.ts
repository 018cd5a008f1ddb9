import { connect, createServer, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";
import { LoopbackServer } from "../../support/loopback-server";
import { AUTHORITY, STRANGER } from "./certificates";

/** Servers whose handshake fails; what is missing here does not come to a handshake. */
const FAULTY = {
  expired: AUTHORITY.expired,
  not_yet_valid: AUTHORITY.not_yet_valid,
  wrong_name: AUTHORITY.wrong_name,
  unknown_ca: STRANGER.server,
  // OpenSSL does not allow this by default.
  too_old: {
    ...AUTHORITY.server,
    minVersion: "TLSv1.1",
    maxVersion: "TLSv1.1",
    ciphers: "DEFAULT@SECLEVEL=0",
  },
} as const satisfies Record<string, TlsOptions>;

/** What is wrong with a handshake: there is no request then. */
export type TlsFault = keyof typeof FAULTY | "not_tls" | "silent";

/** In front of a server: the first, the second … connection meets a fault; others are passed on. */
export class TlsFront extends LoopbackServer {
  /** @param script what is left of it: it is well as soon as that is empty */
  static async start(port: number, script: (TlsFault | undefined)[]): Promise<TlsFront> {
    const server = createServer();
    const front = new TlsFront(server);
    server.on("connection", (socket: Socket) => {
      front.keep(socket);
      const fault = script.shift();
      if (fault === undefined) front.#pass(socket, port);
      else if (fault === "not_tls")
        socket.end("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
      else if (fault !== "silent") createTlsServer(FAULTY[fault]).emit("connection", socket);
    });
    return front.listen();
  }

  #pass(socket: Socket, port: number): void {
    const service = connect(port, "127.0.0.1");
    this.keep(service);
    socket.pipe(service).pipe(socket);
    socket.once("close", () => service.destroy());
    service.once("close", () => socket.destroy());
  }
}
