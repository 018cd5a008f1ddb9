import { connect, createServer, type Socket } from "node:net";
import { LoopbackServer } from "../support/loopback-server";

/** Stands before a service and counts the connections to it, the bytes untouched. */
export class CountingRelay extends LoopbackServer {
  /** The most at one time. */
  atOnce = 0;
  #taken = 0;

  static async start(targetPort: number): Promise<CountingRelay> {
    // Each side says itself when it has ended: else what one sends behind the other's end would get
    // lost.
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    const relay = new CountingRelay(server);
    server.on("connection", (socket) => relay.#take(socket, targetPort));
    return relay.listen();
  }

  #take(socket: Socket, targetPort: number): void {
    this.#taken++;
    this.atOnce = Math.max(this.atOnce, this.#taken);
    socket.once("close", () => this.#taken--);
    const onward = connect({
      port: targetPort,
      host: "127.0.0.1",
      allowHalfOpen: true,
      noDelay: true,
    });
    this.keep(onward);
    for (const [from, to] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      from.pipe(to);
      from.on("error", () => to.destroy());
      from.once("close", () => to.destroy());
    }
  }
}
