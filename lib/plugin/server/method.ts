import type { UnaryHandler } from "../grpc";
import { decodeMessage, encodeMessage, type Init, type MessageType } from "../protocol";
import type { Diagnostic, Log } from "../provider";
import { faultDiagnostic, faultName } from "./fault";

/** One method of the protocol: what comes, what goes, and what is done. */
export interface Method<Request extends object, Response extends object> {
  readonly request: MessageType<Request>;
  readonly response: MessageType<Response>;
  /** For messages: `opening ephemeral "x"`. */
  operation(request: NoInfer<Request>): string;
  answer(request: NoInfer<Request>, call: AbortController): Promise<Init<Response>>;
  /** The answer that has nothing but a diagnostic. */
  failed(diagnostic: Diagnostic, request: NoInfer<Request>): Init<Response>;
}

/**
 * A method as a handler of calls: whatever the operation throws becomes a diagnostic, and its name
 * a line of the log.
 */
export function handlerOf<Request extends object, Response extends object>(
  method: Method<Request, Response>,
  log: Log,
): UnaryHandler {
  return async (bytes, call) => {
    const request = decodeMessage(method.request, bytes);
    try {
      return encodeMessage(method.response, await method.answer(request, call));
    } catch (error) {
      const operation = method.operation(request);
      log("error", "an operation failed", { operation, fault: faultName(error) });
      return encodeMessage(
        method.response,
        method.failed(faultDiagnostic(error, operation), request),
      );
    }
  };
}
