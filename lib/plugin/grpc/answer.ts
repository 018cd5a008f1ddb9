import type { OutgoingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { frame } from "./framing";
import { GRPC_STATUS, type GrpcError } from "./status";

/** Begins an answer whose end has the status OK. */
export function beginAnswer(stream: ServerHttp2Stream): void {
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": String(GRPC_STATUS.OK) }));
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
}

/** Answers a call with a message. */
export function endWithMessage(stream: ServerHttp2Stream, message: Uint8Array): void {
  if (!isWritable(stream)) return;
  beginAnswer(stream);
  stream.end(frame(message));
}

/** Ends a call with an error's status and no message. */
export function endWithError(
  stream: ServerHttp2Stream,
  { code, message }: Pick<GrpcError, "code" | "message">,
): void {
  if (isWritable(stream))
    endWithHeaders(stream, {
      ":status": 200,
      "content-type": "application/grpc",
      "grpc-status": String(code),
      "grpc-message": encodeURIComponent(message),
    });
}

/**
 * Ends a call with headers alone. If the peer has not ended its side yet, the stream is then reset,
 * so that further data is not read: after this turn, at whose end Node.js sends the headers. With a
 * reset in the same turn, Node.js 22 and 26 would not send them.
 */
export function endWithHeaders(stream: ServerHttp2Stream, headers: OutgoingHttpHeaders): void {
  stream.respond(headers, { endStream: true });
  setImmediate(() => {
    if (!stream.destroyed && !stream.readableEnded) stream.close();
  });
}

/** A peer may have reset the stream, or ended the connection, long before the answer is ready. */
function isWritable(stream: ServerHttp2Stream): boolean {
  return !stream.destroyed && !stream.closed && !stream.headersSent;
}
