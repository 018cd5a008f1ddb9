// Blocks, schemas and diagnostics in the protocol's form.

import { decodeMsgpack, encodeMsgpack } from "../cty/block-value";
import { CtyError, type CtyObject } from "../cty/value";
import type { Init, Message } from "../protocol/message";
import {
  type Diagnostic as DiagnosticMessage,
  type DynamicValue,
  GetProviderSchemaResponse,
  MARKDOWN,
  type Schema,
  SEVERITY,
} from "../protocol/tfplugin6";
import type { BlockSchema, Diagnostic, Provider } from "../provider";

type WireValue = Message<(typeof DynamicValue)["fields"]>;

/**
 * A block's configuration, with UNKNOWN for unknown values. Throws {@link CtyError} if it does not
 * match the block.
 */
export function fromWireConfig(value: WireValue | undefined, block: BlockSchema): CtyObject {
  const config = fromWireState(value, block);
  if (config === null) throw new CtyError("a block's configuration expected");
  return config;
}

/** Like {@link fromWireConfig}; null if the block does not exist yet, or no longer. */
export function fromWireState(value: WireValue | undefined, block: BlockSchema): CtyObject | null {
  return value === undefined ? null : decodeMsgpack(value.msgpack, block.attributes);
}

/** A result, a plan or a new state; null if it is destroyed. Throws {@link CtyError}. */
export function toWireState(
  value: CtyObject | null,
  block: BlockSchema,
): Init<(typeof DynamicValue)["fields"]> {
  return { msgpack: encodeMsgpack(value, block.attributes) };
}

/** The plain data of a provider. */
type Schemas = Pick<Provider<never>, "schema" | "resources" | "dataSources" | "ephemeralResources">;

/** Encoded once: in a process that serves many connections, each requests it. */
const encoded = new WeakMap<Schemas, Uint8Array>();

/** The answer to GetProviderSchema. It is the same for the life of a process. */
export function encodeProviderSchema(provider: Schemas): Uint8Array {
  const message =
    encoded.get(provider) ??
    GetProviderSchemaResponse.encode({
      provider: toWireSchema(provider.schema),
      resourceSchemas: schemasOf(provider.resources ?? {}),
      dataSourceSchemas: schemasOf(provider.dataSources),
      ephemeralResourceSchemas: schemasOf(provider.ephemeralResources),
      // Terraform may reuse a schema that it has already, instead of requesting it at each launch.
      serverCapabilities: { getProviderSchemaOptional: true },
    });
  encoded.set(provider, message);
  return message;
}

function schemasOf(objects: Readonly<Record<string, { readonly schema: BlockSchema }>>) {
  return Object.entries(objects).map(([key, { schema }]) => ({ key, value: toWireSchema(schema) }));
}

function toWireSchema(block: BlockSchema): Init<(typeof Schema)["fields"]> {
  return {
    block: {
      description: block.description,
      descriptionKind: MARKDOWN,
      attributes: Object.entries(block.attributes).map(([name, { type, ...attribute }]) => ({
        ...attribute,
        name,
        type: Buffer.from(JSON.stringify(type), "utf8"),
        descriptionKind: MARKDOWN,
      })),
    },
  };
}

/**
 * Diagnostics in the protocol's form.
 *
 * Their paths end at the argument, and Terraform prints its line. A path without steps is sent as
 * it is; Terraform and OpenTofu then print no line at all. Without a path, they print the head of
 * the block.
 */
export function toWireDiagnostics(
  diagnostics: readonly Diagnostic[] = [],
  block?: BlockSchema,
): Init<(typeof DiagnosticMessage)["fields"]>[] {
  return diagnostics.map(({ severity, summary, detail, path }) => {
    const [argument] = path ?? [];
    const known = typeof argument === "string" && Object.hasOwn(block?.attributes ?? {}, argument);
    const nowhere = path?.length === 0;
    return {
      severity: SEVERITY[severity],
      summary,
      detail,
      attribute:
        known || nowhere ? { steps: known ? [{ attributeName: argument }] : [] } : undefined,
    };
  });
}
