import type { ServerHttp2Stream } from "node:http2";
import { beginAnswer } from "./answer";

/**
 * The streaming calls of a connection that are open and get no data until they are ended.
 *
 * Why: a Go gRPC client closes a connection that has had no call for 30 minutes. A configuration
 * lives on its connection, and a long apply may well be silent for longer. An open call keeps the
 * connection alive.
 */
export class HeldStreams {
  readonly #open = new Set<ServerHttp2Stream>();

  hold(stream: ServerHttp2Stream): void {
    stream.resume();
    beginAnswer(stream);
    this.#open.add(stream);
    stream.on("close", () => this.#open.delete(stream));
  }

  /** The peer's calls then end without an error. */
  end(): void {
    for (const stream of this.#open) if (!stream.destroyed && !stream.writableEnded) stream.end();
  }
}
