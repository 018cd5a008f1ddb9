import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** Stands before a service and counts the connections to it, the bytes untouched. */
export class CountingRelay {
  /** In all. */
  connections = 0;
  /** The most at one time. */
  atOnce = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #open = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(targetPort: number): Promise<CountingRelay> {
    // Each side says itself when it has ended: else what one sends behind the other's end would get lost.
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    const relay = new CountingRelay(server);
    server.on("connection", (socket) => relay.#take(socket, targetPort));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return relay;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #take(socket: Socket, targetPort: number): void {
    this.connections++;
    this.#open++;
    this.atOnce = Math.max(this.atOnce, this.#open);
    socket.once("close", () => this.#open--);
    const onward = connect({ port: targetPort, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    for (const [from, to] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      this.#sockets.add(from);
      from.pipe(to);
      from.on("error", () => to.destroy());
      from.once("close", () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    }
  }
}
