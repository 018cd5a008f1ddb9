import type { ServerHttp2Stream } from "node:http2";
import { CancelledError } from "../faults";
import { frame, UnaryMessageReader } from "./framing";
import { encodeStatusMessage, GRPC_STATUS, GrpcError, type GrpcStatusCode } from "./status";

/**
 * Answers one call. It is aborted when the peer cancels it (as a client does whose deadline has
 * passed) or its connection ends; the handler may abort it as well, to end its own work.
 */
export type UnaryHandler = (request: Uint8Array, call: AbortController) => Promise<Uint8Array>;

/** Serves one unary call on a stream. Never throws, and never touches a stream that has gone. */
export function serveUnary(stream: ServerHttp2Stream, handler: UnaryHandler): void {
  const cancelled = new AbortController();
  const reader = new UnaryMessageReader();
  let answered = false;

  const finish = (answer: () => void): void => {
    if (answered) return;
    answered = true;
    answer();
  };
  const fail = (error: GrpcError): void =>
    finish(() => {
      cancelled.abort(new CancelledError());
      endWithStatus(stream, error.code, error.message);
    });
  const failWith = (error: unknown): void => fail(asGrpcError(error));

  stream.on("data", (chunk: Uint8Array) => {
    if (answered) return;
    try {
      reader.push(chunk);
    } catch (error) {
      failWith(error);
    }
  });
  stream.on("end", () => {
    if (answered) return;
    try {
      const request = reader.finish();
      handler(request, cancelled).then(
        (response) => finish(() => endWithMessage(stream, response)),
        failWith,
      );
    } catch (error) {
      failWith(error);
    }
  });
  stream.on("close", () => {
    finish(() => cancelled.abort(new CancelledError()));
  });
}

/**
 * Ends a call with a status and no message. If the peer has not ended its side yet, the stream is
 * then reset, so that further data is not read.
 */
export function endWithStatus(
  stream: ServerHttp2Stream,
  code: GrpcStatusCode,
  message: string,
): void {
  if (!isWritable(stream)) return;
  stream.respond(
    {
      ":status": 200,
      "content-type": "application/grpc",
      "grpc-status": String(code),
      "grpc-message": encodeStatusMessage(message),
    },
    { endStream: true },
  );
  resetWhenAnswered(stream);
}

/**
 * Resets a stream whose headers, which end it, were just passed to Node.js. It sends them at the
 * end of this turn; with a reset in the same turn, Node.js 22 and 26 would not send them.
 */
export function resetWhenAnswered(stream: ServerHttp2Stream): void {
  setImmediate(() => {
    if (!stream.destroyed && !stream.readableEnded) stream.close();
  });
}

function endWithMessage(stream: ServerHttp2Stream, message: Uint8Array): void {
  if (!isWritable(stream)) return;
  begin(stream);
  stream.end(frame(message));
}

/** Begins an answer whose end has the status OK. */
function begin(stream: ServerHttp2Stream): void {
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": String(GRPC_STATUS.OK) }));
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
}

/**
 * Opens the answering side of a streaming call, and sends nothing until it is released.
 *
 * Why: a Go gRPC client closes a connection that has had no call for 30 minutes. A configuration
 * lives on its connection, and a long apply may well be silent for longer. An open call keeps the
 * connection alive.
 */
export function holdStream(stream: ServerHttp2Stream): { release(): void } {
  stream.resume();
  begin(stream);
  return {
    release: () => {
      if (!stream.destroyed && !stream.writableEnded) stream.end();
    },
  };
}

/** A peer may have reset the stream, or ended the connection, long before the answer is ready. */
function isWritable(stream: ServerHttp2Stream): boolean {
  return !stream.destroyed && !stream.closed && !stream.headersSent;
}

/** A foreign error may contain anything, even a secret: its message stays here. */
function asGrpcError(error: unknown): GrpcError {
  return error instanceof GrpcError
    ? error
    : new GrpcError(GRPC_STATUS.INTERNAL, "The call failed unexpectedly.");
}
