import { CtyError } from "../cty/value";
import { faultName, isCancelled } from "../faults";
import type { UnaryHandler } from "../grpc/call";
import type { Field, Fields, Init, Message, MessageType } from "../protocol/message";
import type { DiagnosticsResponse } from "../protocol/tfplugin6";
import type { BlockSchema, Diagnostic, Log, OperationContext } from "../provider";
import { toWireDiagnostics } from "./convert";
import type { ProviderSession } from "./session";

type Answering = Fields & Pick<(typeof DiagnosticsResponse)["fields"], "diagnostics">;

/** The fields of an answer, with diagnostics in our form. */
type Answer<Response extends Answering> = Omit<Init<Response>, "diagnostics"> & Diagnosed;

interface Diagnosed {
  readonly diagnostics?: readonly Diagnostic[] | undefined;
}

/** One method of the protocol: request, response and operation. */
interface Method<Request extends Fields, Response extends Answering> {
  readonly request: MessageType<Request>;
  readonly response: MessageType<Response>;
  /** For messages: `opening ephemeral "x"`. */
  operation(request: Message<Request>): string;
  /** The schema of the block in the diagnostics. */
  schema(request: Message<Request>): BlockSchema | undefined;
  answer(request: Message<Request>, call: AbortController): Promise<Answer<Response>>;
}

/**
 * A method as a handler of calls: an error of the operation becomes a diagnostic, and its name a
 * line of the log.
 */
export function handlerOf<Request extends Fields, Response extends Answering>(
  method: Method<Request, Response>,
  log: Log,
): UnaryHandler {
  return async (bytes, call) => {
    const request = method.request.decode(bytes);
    // Of the answer's fields, this one alone is converted here.
    const response: MessageType<Answering> = method.response;
    const encode = ({ diagnostics, ...answer }: Diagnosed): Uint8Array =>
      response.encode({
        ...answer,
        diagnostics: toWireDiagnostics(diagnostics, method.schema(request)),
      });
    try {
      return encode(await method.answer(request, call));
    } catch (error) {
      const operation = method.operation(request);
      log("error", "an operation failed", { operation, fault: faultName(error) });
      return encode({ diagnostics: [faultDiagnostic(error, operation)] });
    }
  };
}

type OfAType = Fields & { readonly typeName: Field<string> };

/** Runs an operation for the configuration of its connection: see {@link ProviderSession}. */
export type Run<Session> = <Result>(
  operation: (context: OperationContext<Session>) => Promise<Result>,
) => Promise<Result>;

/** Makes the methods of one kind of block: each is about a block of the requested type. */
export function methodsOf<Block extends { readonly schema: BlockSchema }, Session>(
  blocks: Readonly<Record<string, Block>>,
  session: ProviderSession<Session>,
  log: Log,
) {
  const named = (typeName: string): Block | undefined =>
    Object.hasOwn(blocks, typeName) ? blocks[typeName] : undefined;
  return <Request extends OfAType, Response extends Answering>(
    request: MessageType<Request>,
    response: MessageType<Response>,
    operation: string,
    answer: (
      block: Block,
      request: Message<Request>,
      run: { readonly begin: Run<Session>; readonly run: Run<Session> },
    ) => Promise<Answer<Response>>,
  ): UnaryHandler =>
    handlerOf(
      {
        request,
        response,
        operation: ({ typeName }) => `${operation} ${typeName}`,
        schema: ({ typeName }) => named(typeName)?.schema,
        answer: async (message, call) => {
          const block = named(message.typeName);
          if (block === undefined) throw new UnknownTypeError();
          const way =
            (name: "begin" | "run"): Run<Session> =>
            async (work) => {
              const configured = session.configured;
              if (configured === undefined) throw new NotConfiguredError();
              return session[name](call, (signal) => work({ session: configured, signal, log }));
            };
          return answer(block, message, { begin: way("begin"), run: way("run") });
        },
      },
      log,
    );
}

/** Terraform requests only types in the schema. */
class UnknownTypeError extends Error {
  override readonly name = "UnknownTypeError";
}

/** Terraform configures a provider before any other request. */
class NotConfiguredError extends Error {
  override readonly name = "NotConfiguredError";
}

/**
 * Neither a result nor an error: only Terraform's developers would understand its message about
 * this.
 */
export function complete(
  result: object | undefined,
  diagnostics: readonly Diagnostic[] = [],
): readonly Diagnostic[] {
  if (result !== undefined || hasError(diagnostics)) return diagnostics;
  return [
    ...diagnostics,
    {
      severity: "error",
      summary: "The provider returned no result",
      detail: "This is a bug in the provider. Please report it.",
    },
  ];
}

export function hasError(diagnostics: readonly Diagnostic[] = []): boolean {
  return diagnostics.some(({ severity }) => severity === "error");
}

/** Diagnostic of an operation that threw. */
function faultDiagnostic(error: unknown, operation: string): Diagnostic {
  const subject = operation.charAt(0).toUpperCase() + operation.slice(1);
  if (isCancelled(error)) {
    return {
      severity: "error",
      summary: "Cancelled",
      detail: `${subject} was cancelled before it ended. Run again.`,
    };
  }
  if (error instanceof CtyError) {
    return {
      severity: "error",
      summary: "A value does not fit its type",
      detail: `${subject}: ${error.problem}.`,
      path: error.path,
    };
  }
  return {
    severity: "error",
    summary: "Internal error in the provider",
    detail: `${subject} ended with ${faultName(error)}. This is a bug in the provider. Its message is not printed because it could hold a secret. Please report it.`,
  };
}
