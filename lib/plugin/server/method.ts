import type { CtyObject } from "../cty/value";
import { faultName } from "../faults";
import type { Fields, Init, Message, MessageType } from "../protocol/message";
import type { ConfigRequest, DiagnosticsResponse } from "../protocol/tfplugin6";
import type { BlockSchema, Diagnosed, Diagnostic } from "../provider";
import { fromWireConfig, toWireDiagnostics } from "./convert";
import { faultDiagnostic } from "./diagnostics";
import type { Method, Session } from "./session";

type Answering = Fields & Pick<(typeof DiagnosticsResponse)["fields"], "diagnostics">;

/** The subject of a configuration: the provider itself, or a block type of it. */
interface Configurable {
  readonly schema: BlockSchema;
  validate?(config: CtyObject): readonly Diagnostic[];
}

/**
 * Makes methods of the protocol, from request, response, the operation's name for messages, and the
 * operation itself. Its error becomes a diagnostic, and the error's name a line of the log.
 *
 * @param find what a request is about, by its type name; the provider itself has none
 */
export function methodsOf<Found extends Pick<Configurable, "schema">, Configured>(
  find: (typeName: string) => Found | undefined,
) {
  return <Request extends Fields, Response extends Answering>(
    request: MessageType<Request>,
    response: MessageType<Response>,
    operation: string,
    answer: (
      found: Found,
      request: Message<Request>,
      session: Session<Configured>,
      call: AbortController,
    ) => Promise<Omit<Init<Response>, "diagnostics"> & Diagnosed>,
  ): Method<Configured> =>
    async (session, bytes, call) => {
      const message = request.decode(bytes);
      const typeName = String(message.typeName ?? "");
      const found = find(typeName);
      // Only the diagnostics are converted here; each method has encoded its other fields.
      const answering: MessageType<Answering> = response;
      const encode = ({ diagnostics, ...fields }: Diagnosed): Uint8Array =>
        answering.encode({
          ...fields,
          diagnostics: toWireDiagnostics(diagnostics, found?.schema),
        });
      try {
        if (found === undefined) throw new UnknownTypeError();
        return encode(await answer(found, message, session, call));
      } catch (error) {
        const name = `${operation} ${typeName}`.trimEnd();
        session.log("error", "an operation failed", { operation: name, fault: faultName(error) });
        return encode({ diagnostics: [faultDiagnostic(error, name)] });
      }
    };
}

/** The block type of this name. */
export const named =
  <Block>(blocks: Readonly<Record<string, Block>> = {}) =>
  (typeName: string): Block | undefined =>
    Object.hasOwn(blocks, typeName) ? blocks[typeName] : undefined;

/** The operation of every method that validates a configuration. */
export async function validated(
  found: Configurable,
  { config }: Pick<Message<(typeof ConfigRequest)["fields"]>, "config">,
): Promise<Diagnosed> {
  return { diagnostics: found.validate?.(fromWireConfig(config, found.schema)) };
}

/** Terraform requests only types in the schema. */
class UnknownTypeError extends Error {
  override readonly name = "UnknownTypeError";
}
