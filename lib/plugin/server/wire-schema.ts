import type { CtyType } from "../cty";
import {
  encodeMessage,
  GetMetadataResponse,
  GetProviderSchemaResponse,
  type Init,
  type Schema,
  StringKind,
} from "../protocol";
import type { BlockSchema } from "../provider";

/** Terraform may use a schema that it has already instead of asking each launch for it again. */
const SERVER_CAPABILITIES = { getProviderSchemaOptional: true } as const;

/** The part of a provider that is plain data. */
interface Schemas {
  readonly schema: BlockSchema;
  readonly resources?: Readonly<Record<string, { readonly schema: BlockSchema }>>;
  readonly dataSources: Readonly<Record<string, { readonly schema: BlockSchema }>>;
  readonly ephemeralResources: Readonly<Record<string, { readonly schema: BlockSchema }>>;
}

/** The type of a whole block: an object of its attributes. */
export function typeOfBlock(block: BlockSchema): CtyType {
  return [
    "object",
    Object.fromEntries(Object.entries(block.attributes).map(([name, { type }]) => [name, type])),
  ];
}

/** Encoded once: a process that serves many connections is asked by each of them. */
const encoded = new WeakMap<Schemas, Uint8Array>();

/** The answer to GetProviderSchema. It is the same for the life of a process. */
export function encodeProviderSchema(provider: Schemas): Uint8Array {
  const message = encoded.get(provider) ?? encodeSchemas(provider);
  encoded.set(provider, message);
  return message;
}

function encodeSchemas(provider: Schemas): Uint8Array {
  return encodeMessage(GetProviderSchemaResponse, {
    provider: toWireSchema(provider.schema),
    resourceSchemas: schemasOf(provider.resources ?? {}),
    dataSourceSchemas: schemasOf(provider.dataSources),
    ephemeralResourceSchemas: schemasOf(provider.ephemeralResources),
    serverCapabilities: SERVER_CAPABILITIES,
  });
}

/** The answer to GetMetadata: names only. */
export function encodeMetadata(provider: Schemas): Uint8Array {
  return encodeMessage(GetMetadataResponse, {
    resources: Object.keys(provider.resources ?? {}).map((typeName) => ({ typeName })),
    dataSources: Object.keys(provider.dataSources).map((typeName) => ({ typeName })),
    ephemeralResources: Object.keys(provider.ephemeralResources).map((typeName) => ({ typeName })),
    serverCapabilities: SERVER_CAPABILITIES,
  });
}

function schemasOf(
  objects: Readonly<Record<string, { readonly schema: BlockSchema }>>,
): Record<string, Init<Schema>> {
  return Object.fromEntries(
    Object.entries(objects).map(([name, { schema }]) => [name, toWireSchema(schema)]),
  );
}

function toWireSchema(block: BlockSchema): Init<Schema> {
  return {
    version: block.version ?? 0,
    block: {
      version: block.version ?? 0,
      description: block.description,
      descriptionKind: StringKind.STRING_KIND_MARKDOWN,
      attributes: Object.entries(block.attributes).map(([name, attribute]) => ({
        name,
        type: Buffer.from(JSON.stringify(attribute.type), "utf8"),
        description: attribute.description,
        descriptionKind: StringKind.STRING_KIND_MARKDOWN,
        required: attribute.required ?? false,
        optional: attribute.optional ?? false,
        computed: attribute.computed ?? false,
        sensitive: attribute.sensitive ?? false,
        deprecated: attribute.deprecated ?? false,
        writeOnly: attribute.writeOnly ?? false,
      })),
    },
  };
}
