// The used part of Terraform's plugin protocol, version 6 (6.7 and 6.8): only the messages
// that are served, and of those only the fields that are read or written. Whatever else a peer
// sends is skipped, as Protocol Buffers prescribes. Numbers are facts of the protocol and must not
// change.

import { bool, bytes, integer, MessageType, many, one, string } from "./message";

/**
 * A block. Terraform always sends msgpack; the protocol's other form, JSON, is only for answers.
 */
export const DynamicValue = new MessageType({ msgpack: bytes(1) });

/** A field with a block. */
const block = (number: number) => one(DynamicValue, number);

export const SEVERITY = { error: 1, warning: 2 } as const;

const AttributePath = new MessageType({
  steps: many(new MessageType({ attributeName: string(1) }), 1),
});

/** A message for the user. `attribute` points into the configuration. */
export const Diagnostic = new MessageType({
  severity: integer(1),
  summary: string(2),
  detail: string(3),
  attribute: one(AttributePath, 4),
});

/** A field with messages for the user. */
const messages = (number: number) => many(Diagnostic, number);

export const MARKDOWN = 1;

/** `type` is the attribute's cty type as JSON. */
const SchemaAttribute = new MessageType({
  name: string(1),
  type: bytes(2),
  description: string(3),
  required: bool(4),
  optional: bool(5),
  computed: bool(6),
  sensitive: bool(7),
  descriptionKind: integer(8),
  writeOnly: bool(11),
});

const SchemaBlock = new MessageType({
  attributes: many(SchemaAttribute, 2),
  description: string(4),
  descriptionKind: integer(5),
});

export const Schema = new MessageType({ block: one(SchemaBlock, 2) });

/** An entry of a map from type names to schemas, in Protocol Buffers' form. */
const NamedSchema = new MessageType({ key: string(1), value: one(Schema, 2) });

/** With `getProviderSchemaOptional` Terraform reuses a schema that it already has in this run. */
const ServerCapabilities = new MessageType({ getProviderSchemaOptional: bool(2) });

export const GetProviderSchemaResponse = new MessageType({
  provider: one(Schema, 1),
  resourceSchemas: many(NamedSchema, 2),
  dataSourceSchemas: many(NamedSchema, 3),
  serverCapabilities: one(ServerCapabilities, 6),
  ephemeralResourceSchemas: many(NamedSchema, 8),
});

export const ValidateProviderConfigRequest = new MessageType({ config: block(1) });

/** Field 1 was an answer in older protocols and stays unused. */
export const ValidateProviderConfigResponse = new MessageType({
  diagnostics: messages(2),
});

export const ConfigureProviderRequest = new MessageType({
  config: block(2),
});

/**
 * A block's type and its configuration: the request of validate, read, open.
 */
export const ConfigRequest = new MessageType({ typeName: string(1), config: block(2) });

/** What Terraform can do. */
const ClientCapabilities = new MessageType({ writeOnlyAttributesAllowed: bool(2) });

export const ValidateResourceConfigRequest = new MessageType({
  ...ConfigRequest.fields,
  clientCapabilities: one(ClientCapabilities, 3),
});

/** An answer with diagnostics only: configure, validate, close. */
export const DiagnosticsResponse = new MessageType({ diagnostics: messages(1) });

/** A stored state. States from before Terraform 0.12 have a flat map instead. */
const RawState = new MessageType({ json: bytes(1) });

export const UpgradeResourceStateRequest = new MessageType({
  typeName: string(1),
  rawState: one(RawState, 3),
});

export const UpgradeResourceStateResponse = new MessageType({
  upgradedState: block(1),
  diagnostics: messages(2),
});

export const ReadResourceRequest = new MessageType({
  typeName: string(1),
  currentState: block(2),
  private: bytes(3),
});

export const ReadResourceResponse = new MessageType({
  newState: block(1),
  diagnostics: messages(2),
  private: bytes(3),
});

/**
 * `priorState` is null when a resource is created, `proposedNewState` and `config` when it is
 * destroyed.
 */
export const PlanResourceChangeRequest = new MessageType({
  typeName: string(1),
  priorState: block(2),
  proposedNewState: block(3),
  config: block(4),
  priorPrivate: bytes(5),
});

export const PlanResourceChangeResponse = new MessageType({
  plannedState: block(1),
  plannedPrivate: bytes(3),
  diagnostics: messages(4),
});

export const ApplyResourceChangeRequest = new MessageType({
  typeName: string(1),
  priorState: block(2),
  plannedState: block(3),
  config: block(4),
  plannedPrivate: bytes(5),
});

/** If there is an error and no `newState`, Terraform keeps the prior state and its private data. */
export const ApplyResourceChangeResponse = new MessageType({
  newState: block(1),
  private: bytes(2),
  diagnostics: messages(3),
});

export const ImportResourceStateRequest = new MessageType({ typeName: string(1), id: string(2) });

export const ImportResourceStateResponse = new MessageType({ diagnostics: messages(2) });

export const ReadDataSourceResponse = new MessageType({
  state: block(1),
  diagnostics: messages(2),
});

/** Protocol Buffers' own, without fractions. */
const Timestamp = new MessageType({ seconds: integer(1) });

export const OpenEphemeralResourceResponse = new MessageType({
  diagnostics: messages(1),
  renewAt: one(Timestamp, 2),
  result: block(3),
  private: bytes(4),
});

export const RenewEphemeralResourceRequest = new MessageType({
  typeName: string(1),
  private: bytes(2),
});

export const CloseEphemeralResourceRequest = new MessageType({
  typeName: string(1),
  private: bytes(2),
});
