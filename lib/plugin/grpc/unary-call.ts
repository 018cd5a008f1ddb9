import type { ServerHttp2Stream } from "node:http2";
import { CancelledError } from "../faults";
import { endWithError, endWithMessage } from "./answer";
import { UnaryMessageReader } from "./framing";
import { GRPC_STATUS, GrpcError } from "./status";

/**
 * Answers one call. It is aborted when the peer cancels it (as a client does whose deadline has
 * passed) or its connection ends; the handler may abort it as well, to end its own work.
 */
export type UnaryHandler = (request: Uint8Array, call: AbortController) => Promise<Uint8Array>;

/** Serves one unary call on a stream. Never throws, and never touches a stream that has gone. */
export function serveUnary(stream: ServerHttp2Stream, handler: UnaryHandler): void {
  const call = new AbortController();
  const reader = new UnaryMessageReader();
  let answered = false;

  const finish = (answer: () => void): void => {
    if (answered) return;
    answered = true;
    answer();
  };
  const fail = (error: unknown): void =>
    finish(() => {
      call.abort(new CancelledError());
      endWithError(stream, asGrpcError(error));
    });
  /** Whatever it throws ends the call. */
  const attempt = (step: () => void): void => {
    if (answered) return;
    try {
      step();
    } catch (error) {
      fail(error);
    }
  };

  stream.on("data", (chunk: Uint8Array) => attempt(() => reader.push(chunk)));
  stream.on("end", () =>
    attempt(() => {
      handler(reader.finish(), call).then(
        (response) => finish(() => endWithMessage(stream, response)),
        fail,
      );
    }),
  );
  stream.on("close", () => finish(() => call.abort(new CancelledError())));
}

/** A foreign error may contain anything, even a secret: its message stays here. */
function asGrpcError(error: unknown): GrpcError {
  return error instanceof GrpcError
    ? error
    : new GrpcError(GRPC_STATUS.INTERNAL, "The call failed unexpectedly.");
}
