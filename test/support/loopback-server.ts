import { once } from "node:events";
import type { AddressInfo, Server, Socket } from "node:net";

/**
 * A server on a free port of loopback. Ending it ends its kept connections as well.
 */
export abstract class LoopbackServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  protected constructor(server: Server) {
    this.#server = server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Connections that are kept and have not ended. */
  get open(): number {
    return this.#sockets.size;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  protected async listen(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return this;
  }

  protected keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => {});
  }
}
