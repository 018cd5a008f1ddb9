import { encodeMsgpack } from "../../lib/plugin/cty/block-value";
import { type CtyObject, UNKNOWN } from "../../lib/plugin/cty/value";
import type { Fields, Init, MessageType } from "../../lib/plugin/protocol/message";
import {
  ApplyResourceChangeRequest,
  ApplyResourceChangeResponse,
  CloseEphemeralResourceRequest,
  ConfigRequest,
  DiagnosticsResponse,
  ImportResourceStateRequest,
  ImportResourceStateResponse,
  OpenEphemeralResourceResponse,
  PlanResourceChangeRequest,
  PlanResourceChangeResponse,
  ReadDataSourceResponse,
  ReadResourceRequest,
  ReadResourceResponse,
  UpgradeResourceStateRequest,
  UpgradeResourceStateResponse,
  ValidateResourceConfigRequest,
} from "../../lib/plugin/protocol/tfplugin6";
import type { BlockSchema } from "../../lib/plugin/provider";

export const SCHEMA: BlockSchema = {
  version: 1,
  description: "",
  attributes: {
    name: { type: "string", description: "", optional: true },
    ids: { type: ["set", "string"], description: "", optional: true },
    secret_wo: { type: "string", description: "", optional: true, writeOnly: true },
    made: { type: "number", description: "", computed: true },
  },
};

/** A configuration, a plan or a state on the wire. */
export const wire = (values: CtyObject | null) => ({
  msgpack: encodeMsgpack(values, SCHEMA.attributes),
});
export const bytes = (text: string) => Buffer.from(text);

/** The operation of the provider that a method runs, in its kind of block. */
export type Runs =
  | readonly ["resources", "validate" | "plan" | "create" | "update" | "destroy" | "import"]
  | readonly ["dataSources", "validate" | "read"]
  | readonly ["ephemeralResources", "validate" | "open" | "close"];

interface Row {
  readonly method: string;
  readonly request: MessageType<Fields>;
  /** Without the name of the type. */
  readonly init: Readonly<Record<string, unknown>>;
  readonly response: MessageType<Fields>;
  readonly answer: Readonly<Record<string, unknown>>;
  /** Undefined if the provider itself does nothing. */
  readonly runs?: Runs;
}

const row = <Request extends Fields>(
  method: string,
  runs: Runs | undefined,
  request: MessageType<Request>,
  init: Init<Request>,
  response: MessageType<Fields>,
  answer: Readonly<Record<string, unknown>>,
): Row => ({
  ...{ method, request: request as MessageType<Fields>, init, response },
  answer: { diagnostics: [], ...answer },
  ...(runs && { runs }),
});

const config = wire({ name: "a" });
const [NULL, A, B] = [wire(null), wire({ name: "a", made: 1 }), wire({ name: "b", made: 2 })];
const OPEN = wire({ name: "b", made: UNKNOWN });
const applied = (priorState: typeof NULL, plannedState: typeof NULL) => ({
  ...{ priorState, plannedState, config: plannedState, plannedPrivate: bytes("p") },
});

/** Each method of the protocol that is about a block: a request, and the answer of `THINGS`. */
export const METHODS: readonly Row[] = [
  row(
    "ValidateResourceConfig",
    ["resources", "validate"],
    ValidateResourceConfigRequest,
    { config },
    DiagnosticsResponse,
    {},
  ),
  row(
    "UpgradeResourceState",
    undefined,
    UpgradeResourceStateRequest,
    { version: 1, rawState: { json: bytes('{"name":"a","made":1}') } },
    UpgradeResourceStateResponse,
    { upgradedState: A },
  ),
  row(
    "ReadResource",
    undefined,
    ReadResourceRequest,
    { currentState: A, private: bytes("p") },
    ReadResourceResponse,
    { newState: A, private: bytes("p") },
  ),
  row(
    "PlanResourceChange",
    ["resources", "plan"],
    PlanResourceChangeRequest,
    { priorState: A, proposedNewState: B, config: B, priorPrivate: bytes("p") },
    PlanResourceChangeResponse,
    { plannedState: OPEN, plannedPrivate: bytes("p") },
  ),
  row(
    "ApplyResourceChange",
    ["resources", "create"],
    ApplyResourceChangeRequest,
    applied(NULL, OPEN),
    ApplyResourceChangeResponse,
    { newState: wire({ name: "b", made: 1 }), private: bytes("new") },
  ),
  row(
    "ApplyResourceChange",
    ["resources", "update"],
    ApplyResourceChangeRequest,
    applied(A, OPEN),
    ApplyResourceChangeResponse,
    { newState: B, private: bytes("p") },
  ),
  row(
    "ApplyResourceChange",
    ["resources", "destroy"],
    ApplyResourceChangeRequest,
    applied(A, NULL),
    ApplyResourceChangeResponse,
    { newState: NULL },
  ),
  row(
    "ImportResourceState",
    ["resources", "import"],
    ImportResourceStateRequest,
    { id: "x" },
    ImportResourceStateResponse,
    { diagnostics: [{ severity: 1, summary: "No" }] },
  ),
  row(
    "ValidateDataResourceConfig",
    ["dataSources", "validate"],
    ConfigRequest,
    { config },
    DiagnosticsResponse,
    {},
  ),
  row(
    "ReadDataSource",
    ["dataSources", "read"],
    ConfigRequest,
    { config },
    ReadDataSourceResponse,
    { state: A },
  ),
  row(
    "ValidateEphemeralResourceConfig",
    ["ephemeralResources", "validate"],
    ConfigRequest,
    { config },
    DiagnosticsResponse,
    {},
  ),
  row(
    "OpenEphemeralResource",
    ["ephemeralResources", "open"],
    ConfigRequest,
    { config },
    OpenEphemeralResourceResponse,
    { result: A, private: bytes("private") },
  ),
  row(
    "CloseEphemeralResource",
    ["ephemeralResources", "close"],
    CloseEphemeralResourceRequest,
    { private: bytes("private") },
    DiagnosticsResponse,
    { diagnostics: [{ severity: 2, summary: "private" }] },
  ),
];
