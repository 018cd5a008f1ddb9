import type { ServerHttp2Stream } from "node:http2";
import { GRPC_STATUS } from "./status";

/**
 * Opens the answering side of a streaming call, and sends nothing until it is released.
 *
 * Why: a Go gRPC client closes a connection that has had no call for 30 minutes. A configuration
 * lives on its connection, and a long apply may well be silent for longer. An open call keeps the
 * connection alive.
 */
export function holdStream(stream: ServerHttp2Stream): { release(): void } {
  stream.resume();
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": String(GRPC_STATUS.OK) }));
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  return {
    release: () => {
      if (!stream.destroyed && !stream.writableEnded) stream.end();
    },
  };
}
