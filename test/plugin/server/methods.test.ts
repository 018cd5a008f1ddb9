/** The methods of the protocol, with what a broken Terraform may send and a provider do wrong. */

import { encodeMsgpack } from "../../../lib/plugin/cty/block-value";
import { type CtyObject, UNKNOWN } from "../../../lib/plugin/cty/value";
import { CancelledError } from "../../../lib/plugin/faults";
import type { Fields, MessageType } from "../../../lib/plugin/protocol/message";
import * as messages from "../../../lib/plugin/protocol/tfplugin6";
import type { BlockSchema, Diagnostic, Provider } from "../../../lib/plugin/provider";
import { serveProvider } from "../../../lib/plugin/server/serve-provider";

const SCHEMA: BlockSchema = {
  description: "",
  attributes: {
    name: { type: "string", description: "", optional: true },
    ids: { type: ["set", "string"], description: "", optional: true },
    made: { type: "number", description: "", computed: true },
  },
};

/** A configuration, a plan or a state on the wire. */
const wire = (values: CtyObject | null) => ({
  msgpack: encodeMsgpack(values, SCHEMA.attributes),
});
const bytes = (text: string) => Buffer.from(text);
const config = wire({ name: "a" });
const [NULL, A, B] = [wire(null), wire({ name: "a", made: 1 }), wire({ name: "b", made: 2 })];
const OPEN = wire({ name: "b", made: UNKNOWN });
const applied = (priorState: typeof NULL, plannedState: typeof NULL) => ({
  ...{ priorState, plannedState, config: plannedState, plannedPrivate: bytes("p") },
});

interface Row {
  /** The kind of block and the operation of the provider that the method runs, or the method. */
  readonly what: string;
  readonly method: string;
  /** The request, without the name of the type. */
  readonly init: Readonly<Record<string, unknown>>;
  readonly answer: Readonly<Record<string, unknown>>;
}

const row = (method: string, runs: string, init: Row["init"], answer: Row["answer"] = {}): Row => ({
  ...{ what: runs || method, method, init },
  answer: { diagnostics: [], ...answer },
});

/** Each method that is about a block: a request, and the answer of {@link things}. */
const METHODS: readonly Row[] = [
  row("ValidateResourceConfig", "resources validate", {
    ...{ config, clientCapabilities: { writeOnlyAttributesAllowed: true } },
  }),
  row("ValidateResourceConfig", "", { config }, { diagnostics: [{ summary: "Old" }] }),
  row(
    "UpgradeResourceState",
    "",
    { rawState: { json: bytes('{"name":"a","made":1}') } },
    { upgradedState: A },
  ),
  row(
    "ReadResource",
    "resources read",
    { currentState: A, private: bytes("p") },
    {
      newState: wire({ name: "a", made: 7 }),
      private: bytes("p 1"),
      diagnostics: [{ summary: "a" }],
    },
  ),
  row(
    "PlanResourceChange",
    "resources plan",
    { priorState: A, proposedNewState: B, config: B, priorPrivate: bytes("p") },
    { plannedState: OPEN, plannedPrivate: bytes("p"), diagnostics: [{ summary: "a 1 p" }] },
  ),
  // Terraform alone plans a destruction.
  row(
    "PlanResourceChange",
    "",
    { priorState: A, proposedNewState: NULL, config: NULL, priorPrivate: bytes("p") },
    { plannedState: NULL, plannedPrivate: bytes("p") },
  ),
  row("ApplyResourceChange", "resources create", applied(NULL, OPEN), {
    newState: wire({ name: "b", made: 1 }),
    private: bytes("new"),
  }),
  row("ApplyResourceChange", "resources update", applied(A, OPEN), {
    newState: B,
    private: bytes("p"),
  }),
  row("ApplyResourceChange", "resources destroy", applied(A, NULL), { newState: NULL }),
  row("ApplyResourceChange", "", applied(NULL, NULL), { newState: NULL }),
  row("ImportResourceState", "", { id: "x" }, { diagnostics: [{ severity: 1, summary: "No" }] }),
  row("ValidateDataResourceConfig", "dataSources validate", { config }),
  row("ReadDataSource", "dataSources read", { config }, { state: A }),
  row("ValidateEphemeralResourceConfig", "ephemeralResources validate", { config }),
  row(
    "OpenEphemeralResource",
    "ephemeralResources open",
    { config },
    { result: A, private: bytes("private"), renewAt: { seconds: 1_700_000_000 } },
  ),
  row(
    "RenewEphemeralResource",
    "ephemeralResources renew",
    { private: bytes("private") },
    { diagnostics: [{ severity: 2, summary: "private, again" }] },
  ),
  row(
    "CloseEphemeralResource",
    "ephemeralResources close",
    { private: bytes("private") },
    { diagnostics: [{ severity: 2, summary: "private" }] },
  ),
];

const no = (summary: string, severity: Diagnostic["severity"] = "error"): Diagnostic[] => [
  { severity, summary, detail: "No.", path: ["name"] },
];

/** A provider in which one operation may be another. */
function things(runs = "", other?: unknown): Provider<object> {
  const [kind, operation = ""] = runs.split(" ");
  const thing = <Block extends object>(of: string, block: Block): Record<string, Block> => ({
    thing: { ...block, ...(of === kind && { [operation]: other }) },
  });
  return {
    schema: { description: "", attributes: SCHEMA.attributes },
    resources: thing("resources", {
      schema: SCHEMA,
      validate: (_config, knowsWriteOnly) => (knowsWriteOnly ? [] : no("Old", "warning")),
      read: async ({ state, private: data }) => ({
        state: { ...state, made: 7 },
        private: bytes(`${Buffer.from(data)} ${Number(state.made)}`),
        diagnostics: no(String(state.name), "warning"),
      }),
      plan: async ({ prior, config, private: data }) => ({
        planned: { ...config, made: UNKNOWN },
        diagnostics: no(
          [prior?.name, prior?.made, Buffer.from(data)].map(String).join(" "),
          "warning",
        ),
      }),
      create: async ({ planned }) => ({
        state: { ...planned, made: 1 },
        private: bytes("new"),
      }),
      update: async ({ planned, prior }) => ({
        state: { ...planned, made: Number(prior.made) + 1 },
      }),
      destroy: async ({ state }) => (state.made === 1 ? [] : no("Another")),
      notImported: { severity: "error", summary: "No", detail: "" },
    }),
    dataSources: thing("dataSources", {
      schema: SCHEMA,
      validate: () => [],
      read: async (config) => ({ state: { ...config, made: 1 } }),
    }),
    ephemeralResources: thing("ephemeralResources", {
      schema: SCHEMA,
      validate: () => [],
      open: async (config) => ({
        result: { ...config, made: 1 },
        private: bytes("private"),
        renewAt: 1_700_000_000_999,
      }),
      renew: async (data) => no(`${Buffer.from(data)}, again`, "warning"),
      close: async (data) => no(Buffer.from(data).toString(), "warning"),
    }),
    configure: async (config) => ({
      session: {},
      diagnostics: config.name === "refused" ? no("No") : [],
    }),
  };
}

type State = { readonly msgpack?: Uint8Array; readonly length?: number } | undefined;

/** The message of a method; several have one of these in common. */
function messageOf(method: string, part: "Request" | "Response"): MessageType<Fields> {
  const other = { Request: messages.ConfigRequest, Response: messages.DiagnosticsResponse }[part];
  const all: Readonly<Record<string, unknown>> = messages;
  return (all[method + part] ?? other) as MessageType<Fields>;
}

const CONFIGURE = row("ConfigureProvider", "", { config: wire({}) });

function begin(...other: Parameters<typeof things>) {
  const logged: unknown[] = [];
  const session = serveProvider(things(...other)).begin((...line) => logged.push(line));
  /** The answer to a row's request, in which something may be different. */
  const call = async ({ method, init }: Row, more: object = {}, cancel = new AbortController()) => {
    const request = messageOf(method, "Request").encode({ typeName: "thing", ...init, ...more });
    const answer = await session.answer(method, request, cancel);
    return messageOf(method, "Response").decode(answer ?? new Uint8Array(0)) as Record<
      string,
      State
    > & {
      readonly diagnostics: readonly { readonly detail: string }[];
    };
  };
  return { session, call, logged };
}

async function configured(...other: Parameters<typeof things>) {
  const begun = begin(...other);
  expect((await begun.call(CONFIGURE)).diagnostics).toEqual([]);
  return begun;
}

/** The states and private data in an answer. */
const statesIn = (answer: Record<string, State>) =>
  ["newState", "plannedState", "state", "result", "private", "upgradedState"].filter(
    (name) => (answer[name]?.msgpack ?? answer[name])?.length,
  );

const error = (part: object) => [{ severity: 1, ...part }];
const running = METHODS.filter(({ what }) => what.includes(" "));
const waiting = running.filter(({ what }) => !what.endsWith(" validate"));

test.each(METHODS)("$what is answered; an unknown type is an error", async (row) => {
  const { call } = await configured();
  expect(await call(row)).toMatchObject(row.answer);
  for (const typeName of ["constructor", "__proto__", ""])
    expect((await call(row, { typeName })).diagnostics).toMatchObject(
      error({ detail: expect.stringMatching("UnknownTypeError") }),
    );
});

test.each(running)(
  "$what that fails says only the error's name, and leaves no state",
  async (row) => {
    const { call, logged } = await configured(row.what, () => {
      throw Object.assign(new SyntaxError("canary"), { code: "E_TEST" });
    });
    const answer = await call(row);
    expect(answer.diagnostics).toMatchObject(
      error({ detail: expect.stringMatching("ended with SyntaxError E_TEST") }),
    );
    expect(JSON.stringify([answer, logged])).not.toContain("canary");
    expect(statesIn(answer)).toEqual([]);
  },
);

test.each(waiting)(
  "$what ends with its call or by Ctrl-C, and needs a configuration",
  async (row) => {
    const { call, session } = await configured(row.what, () => new Promise(() => {}));
    const cancel = new AbortController();
    const answers = [call(row, {}, cancel), call(row)];
    cancel.abort(new CancelledError());
    session.interrupt();
    for (const answer of await Promise.all(answers)) {
      expect(answer.diagnostics).toMatchObject(error({ summary: "Cancelled" }));
      expect(statesIn(answer)).toEqual([]);
    }
    expect((await begin().call(row)).diagnostics).toMatchObject(
      error({ detail: expect.stringMatching("NotConfiguredError") }),
    );
  },
);

test("after Ctrl-C nothing begins any more; a close does", async () => {
  const { call, session } = await configured();
  session.interrupt();
  expect((await call(rowOf(" open"))).diagnostics).toMatchObject(error({ summary: "Cancelled" }));
  expect(await call(rowOf(" close"))).toMatchObject(rowOf(" close").answer);
});

test("a close of what has none is answered, even when nothing runs any more", async () => {
  const { call, session } = await configured("ephemeralResources close", undefined);
  await session.end();
  expect((await call(rowOf(" close"))).diagnostics).toEqual([]);
});

const MISFIT = error({ summary: "A value does not fit its type" });

test.each(running.filter(({ init, what }) => "config" in init && !what.endsWith("destroy")))(
  "$what needs a readable configuration",
  async (row) => {
    const { call } = await configured();
    for (const config of [undefined, {}, NULL, { msgpack: Uint8Array.of(0xc1) }])
      expect((await call(row, { config })).diagnostics).toMatchObject(MISFIT);
  },
);

const rowOf = (operation: string) => METHODS.find(({ what }) => what.endsWith(operation)) as Row;

test.each(
  waiting.flatMap((row) => {
    const state = Object.keys(row.answer).find((name) => /state|result/i.test(name));
    const isKept = ["resources read", "resources destroy"].includes(row.what);
    return state === undefined || isKept ? [] : [{ ...row, state }];
  }),
)("$what whose $state is missing or does not fit its schema is an error", async (row) => {
  const name = { newState: "state", plannedState: "planned" }[row.state] ?? row.state;
  const misfit = await configured(row.what, async () => ({ [name]: { made: "x" } }));
  expect((await misfit.call(row)).diagnostics).toMatchObject(
    error({ attribute: { steps: [{ attributeName: "made" }] } }),
  );
  const nothing = await configured(row.what, async () => ({}));
  expect((await nothing.call(row)).diagnostics).toMatchObject(
    error({ summary: "The provider returned no result" }),
  );
});

test("after a failed configuration there is none", async () => {
  const { call } = await configured();
  expect((await call(CONFIGURE, { config: wire({ name: "refused" }) })).diagnostics).toMatchObject(
    error({ summary: "No", attribute: { steps: [{ attributeName: "name" }] } }),
  );
  expect((await call(rowOf("read"))).diagnostics).toMatchObject(error({}));
});

test("a stored state in another form than JSON is refused: Terraform before 0.12 had one", async () => {
  const { call } = await configured();
  const answer = await call(rowOf("UpgradeResourceState"), { rawState: undefined });
  expect(answer.diagnostics).toMatchObject(MISFIT);
});

test.each(["create", "update", "destroy"] as const)(
  "a %s that is refused keeps the state: its own private data do not count",
  async (operation) => {
    const refusal = { diagnostics: no("No"), private: bytes("of what never was") };
    const { call } = await configured(`resources ${operation}`, async () =>
      operation === "destroy" ? refusal.diagnostics : refusal,
    );
    const answer = await call(rowOf(operation));
    expect(answer.diagnostics).toMatchObject(error({ summary: "No" }));
    expect(statesIn(answer)).toEqual([]);
  },
);
