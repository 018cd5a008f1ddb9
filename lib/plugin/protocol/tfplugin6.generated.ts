// Made by lib/plugin/protocol/generate.mjs from tfplugin6.proto. Change that file and generate again.
import { MessageType } from "./message-type";

/** A value, in one of two encodings. Terraform sends msgpack; JSON is for old states and hand-made clients. */
export interface DynamicValue {
  readonly msgpack: Uint8Array;
  readonly json: Uint8Array;
}

export const DynamicValue = new MessageType<DynamicValue>("DynamicValue", [
  [1, "msgpack", "bytes", "one"],
  [2, "json", "bytes", "one"],
]);

export const Severity = {
  SEVERITY_INVALID: 0,
  SEVERITY_ERROR: 1,
  SEVERITY_WARNING: 2,
} as const;

/** Exactly one is set: an attribute's name, a map's key or a list's index (which may be 0, so presence matters). */
export interface AttributePathStep {
  readonly attributeName?: string | undefined;
  readonly elementKeyString?: string | undefined;
  readonly elementKeyInt?: number | undefined;
}

export const AttributePathStep = new MessageType<AttributePathStep>("AttributePathStep", [
  [1, "attributeName", "string", "optional"],
  [2, "elementKeyString", "string", "optional"],
  [3, "elementKeyInt", "integer", "optional"],
]);

export interface AttributePath {
  readonly steps: readonly AttributePathStep[];
}

export const AttributePath = new MessageType<AttributePath>("AttributePath", [
  [1, "steps", AttributePathStep, "many"],
]);

/** What a user is shown. `attribute` points into the configuration. */
export interface Diagnostic {
  readonly severity: number;
  readonly summary: string;
  readonly detail: string;
  readonly attribute?: AttributePath | undefined;
}

export const Diagnostic = new MessageType<Diagnostic>("Diagnostic", [
  [1, "severity", "integer", "one"],
  [2, "summary", "string", "one"],
  [3, "detail", "string", "one"],
  [4, "attribute", AttributePath, "optional"],
]);

export const StringKind = {
  STRING_KIND_PLAIN: 0,
  STRING_KIND_MARKDOWN: 1,
} as const;

/** `type` is the attribute's cty type as JSON. */
export interface SchemaAttribute {
  readonly name: string;
  readonly type: Uint8Array;
  readonly description: string;
  readonly required: boolean;
  readonly optional: boolean;
  readonly computed: boolean;
  readonly sensitive: boolean;
  readonly descriptionKind: number;
  readonly deprecated: boolean;
  readonly writeOnly: boolean;
}

export const SchemaAttribute = new MessageType<SchemaAttribute>("SchemaAttribute", [
  [1, "name", "string", "one"],
  [2, "type", "bytes", "one"],
  [3, "description", "string", "one"],
  [4, "required", "bool", "one"],
  [5, "optional", "bool", "one"],
  [6, "computed", "bool", "one"],
  [7, "sensitive", "bool", "one"],
  [8, "descriptionKind", "integer", "one"],
  [9, "deprecated", "bool", "one"],
  [11, "writeOnly", "bool", "one"],
]);

export interface SchemaBlock {
  readonly version: number;
  readonly attributes: readonly SchemaAttribute[];
  readonly description: string;
  readonly descriptionKind: number;
  readonly deprecated: boolean;
}

export const SchemaBlock = new MessageType<SchemaBlock>("SchemaBlock", [
  [1, "version", "integer", "one"],
  [2, "attributes", SchemaAttribute, "many"],
  [4, "description", "string", "one"],
  [5, "descriptionKind", "integer", "one"],
  [6, "deprecated", "bool", "one"],
]);

export interface Schema {
  readonly version: number;
  readonly block?: SchemaBlock | undefined;
}

export const Schema = new MessageType<Schema>("Schema", [
  [1, "version", "integer", "one"],
  [2, "block", SchemaBlock, "optional"],
]);

/** `get_provider_schema_optional` lets Terraform reuse a schema that it already has in this run. */
export interface ServerCapabilities {
  readonly planDestroy: boolean;
  readonly getProviderSchemaOptional: boolean;
  readonly moveResourceState: boolean;
}

export const ServerCapabilities = new MessageType<ServerCapabilities>("ServerCapabilities", [
  [1, "planDestroy", "bool", "one"],
  [2, "getProviderSchemaOptional", "bool", "one"],
  [3, "moveResourceState", "bool", "one"],
]);

/** A moment: seconds since 1970 and the nanoseconds within that second. */
export interface Timestamp {
  readonly seconds: number;
  readonly nanos: number;
}

export const Timestamp = new MessageType<Timestamp>("Timestamp", [
  [1, "seconds", "integer", "one"],
  [2, "nanos", "integer", "one"],
]);

export interface Empty {
}

export const Empty = new MessageType<Empty>("Empty", [
]);

export interface GetProviderSchemaResponse {
  readonly provider?: Schema | undefined;
  readonly resourceSchemas: Readonly<Record<string, Schema>>;
  readonly dataSourceSchemas: Readonly<Record<string, Schema>>;
  readonly diagnostics: readonly Diagnostic[];
  readonly serverCapabilities?: ServerCapabilities | undefined;
  readonly ephemeralResourceSchemas: Readonly<Record<string, Schema>>;
}

export const GetProviderSchemaResponse = new MessageType<GetProviderSchemaResponse>("GetProviderSchemaResponse", [
  [1, "provider", Schema, "optional"],
  [2, "resourceSchemas", Schema, "map"],
  [3, "dataSourceSchemas", Schema, "map"],
  [4, "diagnostics", Diagnostic, "many"],
  [6, "serverCapabilities", ServerCapabilities, "optional"],
  [8, "ephemeralResourceSchemas", Schema, "map"],
]);

export interface TypeName {
  readonly typeName: string;
}

export const TypeName = new MessageType<TypeName>("TypeName", [
  [1, "typeName", "string", "one"],
]);

/** Newer cores may ask for names before they ask for schemas. */
export interface GetMetadataResponse {
  readonly serverCapabilities?: ServerCapabilities | undefined;
  readonly diagnostics: readonly Diagnostic[];
  readonly dataSources: readonly TypeName[];
  readonly resources: readonly TypeName[];
  readonly ephemeralResources: readonly TypeName[];
}

export const GetMetadataResponse = new MessageType<GetMetadataResponse>("GetMetadataResponse", [
  [1, "serverCapabilities", ServerCapabilities, "optional"],
  [2, "diagnostics", Diagnostic, "many"],
  [3, "dataSources", TypeName, "many"],
  [4, "resources", TypeName, "many"],
  [6, "ephemeralResources", TypeName, "many"],
]);

export interface ValidateProviderConfigRequest {
  readonly config?: DynamicValue | undefined;
}

export const ValidateProviderConfigRequest = new MessageType<ValidateProviderConfigRequest>("ValidateProviderConfigRequest", [
  [1, "config", DynamicValue, "optional"],
]);

/** Field 1 was an answer of older protocols and stays unused. */
export interface ValidateProviderConfigResponse {
  readonly diagnostics: readonly Diagnostic[];
}

export const ValidateProviderConfigResponse = new MessageType<ValidateProviderConfigResponse>("ValidateProviderConfigResponse", [
  [2, "diagnostics", Diagnostic, "many"],
]);

export interface ConfigureProviderRequest {
  readonly terraformVersion: string;
  readonly config?: DynamicValue | undefined;
}

export const ConfigureProviderRequest = new MessageType<ConfigureProviderRequest>("ConfigureProviderRequest", [
  [1, "terraformVersion", "string", "one"],
  [2, "config", DynamicValue, "optional"],
]);

/** A block's type and its configuration: the request of validate (data and ephemeral), read and open. */
export interface ConfigRequest {
  readonly typeName: string;
  readonly config?: DynamicValue | undefined;
}

export const ConfigRequest = new MessageType<ConfigRequest>("ConfigRequest", [
  [1, "typeName", "string", "one"],
  [2, "config", DynamicValue, "optional"],
]);

/** An answer that has diagnostics only: configure, validate, close. */
export interface DiagnosticsResponse {
  readonly diagnostics: readonly Diagnostic[];
}

export const DiagnosticsResponse = new MessageType<DiagnosticsResponse>("DiagnosticsResponse", [
  [1, "diagnostics", Diagnostic, "many"],
]);

/** What the peer can do. Terraform before 1.11 and OpenTofu before 1.11 do not know write-only attributes. */
export interface ClientCapabilities {
  readonly deferralAllowed: boolean;
  readonly writeOnlyAttributesAllowed: boolean;
}

export const ClientCapabilities = new MessageType<ClientCapabilities>("ClientCapabilities", [
  [1, "deferralAllowed", "bool", "one"],
  [2, "writeOnlyAttributesAllowed", "bool", "one"],
]);

export interface ValidateResourceConfigRequest {
  readonly typeName: string;
  readonly config?: DynamicValue | undefined;
  readonly clientCapabilities?: ClientCapabilities | undefined;
}

export const ValidateResourceConfigRequest = new MessageType<ValidateResourceConfigRequest>("ValidateResourceConfigRequest", [
  [1, "typeName", "string", "one"],
  [2, "config", DynamicValue, "optional"],
  [3, "clientCapabilities", ClientCapabilities, "optional"],
]);

/** A state as it is stored: JSON, and in states of the time before Terraform 0.12 a flat map, which is not read here. */
export interface RawState {
  readonly json: Uint8Array;
}

export const RawState = new MessageType<RawState>("RawState", [
  [1, "json", "bytes", "one"],
]);

export interface UpgradeResourceStateRequest {
  readonly typeName: string;
  readonly version: number;
  readonly rawState?: RawState | undefined;
}

export const UpgradeResourceStateRequest = new MessageType<UpgradeResourceStateRequest>("UpgradeResourceStateRequest", [
  [1, "typeName", "string", "one"],
  [2, "version", "integer", "one"],
  [3, "rawState", RawState, "optional"],
]);

export interface UpgradeResourceStateResponse {
  readonly upgradedState?: DynamicValue | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

export const UpgradeResourceStateResponse = new MessageType<UpgradeResourceStateResponse>("UpgradeResourceStateResponse", [
  [1, "upgradedState", DynamicValue, "optional"],
  [2, "diagnostics", Diagnostic, "many"],
]);

export interface ReadResourceRequest {
  readonly typeName: string;
  readonly currentState?: DynamicValue | undefined;
  readonly private: Uint8Array;
}

export const ReadResourceRequest = new MessageType<ReadResourceRequest>("ReadResourceRequest", [
  [1, "typeName", "string", "one"],
  [2, "currentState", DynamicValue, "optional"],
  [3, "private", "bytes", "one"],
]);

export interface ReadResourceResponse {
  readonly newState?: DynamicValue | undefined;
  readonly diagnostics: readonly Diagnostic[];
  readonly private: Uint8Array;
}

export const ReadResourceResponse = new MessageType<ReadResourceResponse>("ReadResourceResponse", [
  [1, "newState", DynamicValue, "optional"],
  [2, "diagnostics", Diagnostic, "many"],
  [3, "private", "bytes", "one"],
]);

/** `prior_state` is null when it is created, `proposed_new_state` and `config` when it is destroyed. */
export interface PlanResourceChangeRequest {
  readonly typeName: string;
  readonly priorState?: DynamicValue | undefined;
  readonly proposedNewState?: DynamicValue | undefined;
  readonly config?: DynamicValue | undefined;
  readonly priorPrivate: Uint8Array;
}

export const PlanResourceChangeRequest = new MessageType<PlanResourceChangeRequest>("PlanResourceChangeRequest", [
  [1, "typeName", "string", "one"],
  [2, "priorState", DynamicValue, "optional"],
  [3, "proposedNewState", DynamicValue, "optional"],
  [4, "config", DynamicValue, "optional"],
  [5, "priorPrivate", "bytes", "one"],
]);

export interface PlanResourceChangeResponse {
  readonly plannedState?: DynamicValue | undefined;
  readonly requiresReplace: readonly AttributePath[];
  readonly plannedPrivate: Uint8Array;
  readonly diagnostics: readonly Diagnostic[];
}

export const PlanResourceChangeResponse = new MessageType<PlanResourceChangeResponse>("PlanResourceChangeResponse", [
  [1, "plannedState", DynamicValue, "optional"],
  [2, "requiresReplace", AttributePath, "many"],
  [3, "plannedPrivate", "bytes", "one"],
  [4, "diagnostics", Diagnostic, "many"],
]);

export interface ApplyResourceChangeRequest {
  readonly typeName: string;
  readonly priorState?: DynamicValue | undefined;
  readonly plannedState?: DynamicValue | undefined;
  readonly config?: DynamicValue | undefined;
  readonly plannedPrivate: Uint8Array;
}

export const ApplyResourceChangeRequest = new MessageType<ApplyResourceChangeRequest>("ApplyResourceChangeRequest", [
  [1, "typeName", "string", "one"],
  [2, "priorState", DynamicValue, "optional"],
  [3, "plannedState", DynamicValue, "optional"],
  [4, "config", DynamicValue, "optional"],
  [5, "plannedPrivate", "bytes", "one"],
]);

/** Without `new_state`, and with an error, Terraform keeps the prior state and its private data. */
export interface ApplyResourceChangeResponse {
  readonly newState?: DynamicValue | undefined;
  readonly private: Uint8Array;
  readonly diagnostics: readonly Diagnostic[];
}

export const ApplyResourceChangeResponse = new MessageType<ApplyResourceChangeResponse>("ApplyResourceChangeResponse", [
  [1, "newState", DynamicValue, "optional"],
  [2, "private", "bytes", "one"],
  [3, "diagnostics", Diagnostic, "many"],
]);

export interface ImportResourceStateRequest {
  readonly typeName: string;
  readonly id: string;
}

export const ImportResourceStateRequest = new MessageType<ImportResourceStateRequest>("ImportResourceStateRequest", [
  [1, "typeName", "string", "one"],
  [2, "id", "string", "one"],
]);

export interface ImportedResource {
  readonly typeName: string;
  readonly state?: DynamicValue | undefined;
  readonly private: Uint8Array;
}

export const ImportedResource = new MessageType<ImportedResource>("ImportedResource", [
  [1, "typeName", "string", "one"],
  [2, "state", DynamicValue, "optional"],
  [3, "private", "bytes", "one"],
]);

export interface ImportResourceStateResponse {
  readonly importedResources: readonly ImportedResource[];
  readonly diagnostics: readonly Diagnostic[];
}

export const ImportResourceStateResponse = new MessageType<ImportResourceStateResponse>("ImportResourceStateResponse", [
  [1, "importedResources", ImportedResource, "many"],
  [2, "diagnostics", Diagnostic, "many"],
]);

export interface ReadDataSourceResponse {
  readonly state?: DynamicValue | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

export const ReadDataSourceResponse = new MessageType<ReadDataSourceResponse>("ReadDataSourceResponse", [
  [1, "state", DynamicValue, "optional"],
  [2, "diagnostics", Diagnostic, "many"],
]);

export interface OpenEphemeralResourceResponse {
  readonly diagnostics: readonly Diagnostic[];
  readonly renewAt?: Timestamp | undefined;
  readonly result?: DynamicValue | undefined;
  readonly private?: Uint8Array | undefined;
}

export const OpenEphemeralResourceResponse = new MessageType<OpenEphemeralResourceResponse>("OpenEphemeralResourceResponse", [
  [1, "diagnostics", Diagnostic, "many"],
  [2, "renewAt", Timestamp, "optional"],
  [3, "result", DynamicValue, "optional"],
  [4, "private", "bytes", "optional"],
]);

/** The request of renew and of close. */
export interface PrivateRequest {
  readonly typeName: string;
  readonly private?: Uint8Array | undefined;
}

export const PrivateRequest = new MessageType<PrivateRequest>("PrivateRequest", [
  [1, "typeName", "string", "one"],
  [2, "private", "bytes", "optional"],
]);

export interface RenewEphemeralResourceResponse {
  readonly diagnostics: readonly Diagnostic[];
  readonly renewAt?: Timestamp | undefined;
  readonly private?: Uint8Array | undefined;
}

export const RenewEphemeralResourceResponse = new MessageType<RenewEphemeralResourceResponse>("RenewEphemeralResourceResponse", [
  [1, "diagnostics", Diagnostic, "many"],
  [2, "renewAt", Timestamp, "optional"],
  [3, "private", "bytes", "optional"],
]);

export interface StopProviderResponse {
  readonly error: string;
}

export const StopProviderResponse = new MessageType<StopProviderResponse>("StopProviderResponse", [
  [1, "error", "string", "one"],
]);
