import type { Init } from "../protocol/message";
import { GetProviderSchemaResponse, MARKDOWN, type Schema } from "../protocol/tfplugin6";
import type { BlockSchema, Provider } from "../provider";

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
  const version = block.version ?? 0;
  return {
    version,
    block: {
      version,
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
