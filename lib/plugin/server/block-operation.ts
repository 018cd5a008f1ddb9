import { ConfigRequest, DiagnosticsResponse } from "../protocol";
import type { BlockSchema, Diagnostic, Log, OperationContext } from "../provider";
import type { Method } from "./method";
import type { ProviderSession } from "./session";
import { fromWireConfig } from "./wire-config";
import { toWireDiagnostics } from "./wire-diagnostic";

interface Validated {
  readonly schema: BlockSchema;
  validate?(config: ReturnType<typeof fromWireConfig>): readonly Diagnostic[];
}

/** The method that checks the configuration of a data source or an ephemeral resource. */
export function validation(
  kind: string,
  blocks: Readonly<Record<string, Validated>>,
): Method<ConfigRequest, DiagnosticsResponse> {
  return {
    request: ConfigRequest,
    response: DiagnosticsResponse,
    operation: ({ typeName }) => `validating the ${kind} ${typeName}`,
    answer: async ({ typeName, config }) => {
      const block = named(blocks, typeName);
      return {
        diagnostics: toWireDiagnostics(
          block.validate?.(fromWireConfig(config, block.schema)),
          block.schema,
        ),
      };
    },
    failed: (diagnostic, { typeName }) => ({
      diagnostics: toWireDiagnostics([diagnostic], blocks[typeName]?.schema),
    }),
  };
}

/** Runs an operation for the configuration of its connection. */
export async function inContext<Session, Result>(
  way: "begin" | "run",
  session: ProviderSession<Session>,
  call: AbortController,
  log: Log,
  operation: (context: OperationContext<Session>) => Promise<Result>,
): Promise<Result> {
  const configured = session.configured;
  if (configured === undefined) throw new NotConfiguredError();
  return session[way](call, (signal) => operation({ session: configured, signal, log }));
}

/** Terraform configures a provider before it asks it for anything. */
class NotConfiguredError extends Error {
  override readonly name = "NotConfiguredError";
}

class UnknownTypeError extends Error {
  override readonly name = "UnknownTypeError";
}

/** The block of a type. Terraform asks for no type that is not in the schema. */
export function named<Block>(blocks: Readonly<Record<string, Block>>, typeName: string): Block {
  const block = Object.hasOwn(blocks, typeName) ? blocks[typeName] : undefined;
  if (block === undefined) throw new UnknownTypeError();
  return block;
}

/**
 * No result and no error either: Terraform would say something that only its developers understand.
 */
export function complete(
  result: object | undefined,
  diagnostics: readonly Diagnostic[] = [],
): readonly Diagnostic[] {
  if (result !== undefined || diagnostics.some(({ severity }) => severity === "error"))
    return diagnostics;
  return [
    ...diagnostics,
    {
      severity: "error",
      summary: "The provider gave no result",
      detail: "This is a fault of the provider. Please report it.",
    },
  ];
}
