/** The methods of the protocol, with what a broken Terraform may send and a provider do wrong. */

import { type CtyObject, UNKNOWN } from "../../../lib/plugin/cty/value";
import { CancelledError } from "../../../lib/plugin/faults";
import type { Fields, MessageType } from "../../../lib/plugin/protocol/message";
import {
  ConfigureProviderRequest,
  DiagnosticsResponse,
  Empty,
} from "../../../lib/plugin/protocol/tfplugin6";
import type { Diagnostic, Provider } from "../../../lib/plugin/provider";
import { serveProvider } from "../../../lib/plugin/server/serve-provider";
import { resultOf } from "../fixtures/grpc-client";
import { bytes, METHODS, type Runs, SCHEMA, wire } from "../methods.rows";

const no = (summary: string, severity: Diagnostic["severity"] = "error"): Diagnostic[] => [
  { severity, summary, detail: "No.", path: ["name"] },
];

/** A provider in which one operation may be another. */
function things([kind, operation]: Runs | [] = [], other?: unknown): Provider<object> {
  const thing = <Block extends object>(of: Runs[0], block: Block): Record<string, Block> => ({
    thing: { ...block, ...(of === kind && operation && { [operation]: other }) },
  });
  return {
    schema: { description: "", attributes: SCHEMA.attributes },
    resources: thing("resources", {
      schema: SCHEMA,
      validate: () => [],
      plan: async ({ proposed }) => ({ planned: { ...proposed, made: UNKNOWN } }),
      create: async ({ planned, config }) => ({
        state: { ...planned, ...config, made: 1 },
        private: bytes("new"),
      }),
      update: async ({ planned, prior }) => ({
        state: { ...planned, made: Number(prior.made) + 1 },
      }),
      destroy: async () => [],
      import: async () => ({ diagnostics: no("No") }),
    }),
    dataSources: thing("dataSources", {
      schema: SCHEMA,
      validate: () => [],
      read: async (config) => ({ state: { ...config, made: 1 } }),
    }),
    ephemeralResources: thing("ephemeralResources", {
      schema: SCHEMA,
      validate: () => [],
      open: async (config) => ({ result: { ...config, made: 1 }, private: bytes("private") }),
      close: async (data) => no(Buffer.from(data).toString(), "warning"),
    }),
    configure: async (config) =>
      config.name === "refused" ? { diagnostics: no("No") } : { session: {} },
  };
}

function begin(provider = things()) {
  const logged: unknown[] = [];
  const served = serveProvider(provider).begin((...line) => logged.push(line));
  const call = async (
    {
      method,
      request,
      response,
    }: Pick<(typeof METHODS)[number], "method" | "request" | "response">,
    init: object,
    cancel = new AbortController(),
  ) => {
    const bytesOf = request.encode({ typeName: "thing", ...init } as never);
    const answer = await served.methods.get(method)?.(bytesOf, cancel);
    return response.decode(answer ?? new Uint8Array(0)) as Record<
      string,
      { readonly msgpack: Uint8Array; readonly length?: number } | undefined
    > & {
      readonly diagnostics: readonly { readonly detail: string }[];
    };
  };
  const configure = (values: CtyObject = {}) =>
    call(
      {
        method: "ConfigureProvider",
        request: ConfigureProviderRequest as MessageType<Fields>,
        response: DiagnosticsResponse as MessageType<Fields>,
      },
      { config: wire(values) },
    );
  return { ...served, call, configure, logged };
}

async function configured(runs: Runs | [] = [], other?: unknown) {
  const begun = begin(things(runs, other));
  expect((await begun.configure()).diagnostics).toEqual([]);
  return begun;
}

const named = METHODS.map((row) => ({ ...row, what: row.runs?.join(" ") ?? row.method }));
const running = named.flatMap((row) =>
  row.runs === undefined ? [] : [{ ...row, runs: row.runs }],
);

test.each(named)("$what is answered; an unknown type is an error", async (row) => {
  const { call } = await configured();
  expect(await call(row, row.init)).toMatchObject(row.answer);
  for (const typeName of ["constructor", "__proto__", ""])
    expect((await call(row, { ...row.init, typeName })).diagnostics).toMatchObject([
      { severity: 1, detail: expect.stringMatching("UnknownTypeError") },
    ]);
});

const STATES = ["newState", "plannedState", "state", "result", "private"];

test.each(running)(
  "$what that fails says only the error's name, and leaves no state",
  async (row) => {
    const fault = Object.assign(new SyntaxError("canary"), { code: "E_TEST" });
    const { call, logged } = await configured(row.runs, () => {
      throw fault;
    });
    const answer = await call(row, row.init);
    expect(answer.diagnostics).toMatchObject([
      { severity: 1, detail: expect.stringMatching("ended with SyntaxError E_TEST") },
    ]);
    expect(JSON.stringify([answer, logged])).not.toContain("canary");
    for (const state of STATES) expect(answer[state]?.length ?? 0).toBe(0);
  },
);

const waiting = running.filter(({ runs }) => runs[1] !== "validate");

test.each(waiting)(
  "$what ends with its call or by Ctrl-C, and needs a configuration",
  async (row) => {
    const given = jest.fn(() => new Promise(() => {}));
    const { call, interrupt } = await configured(row.runs, given);
    const cancel = new AbortController();
    const cancelled = call(row, row.init, cancel);
    cancel.abort(new CancelledError());
    const interrupted = call(row, row.init);
    interrupt();
    for (const answer of [await cancelled, await interrupted]) {
      expect(answer.diagnostics).toMatchObject([{ severity: 1, summary: "Cancelled" }]);
      for (const state of STATES) expect(answer[state]?.length ?? 0).toBe(0);
    }
    expect((await begin().call(row, row.init)).diagnostics).toMatchObject([
      { severity: 1, detail: expect.stringMatching("NotConfiguredError") },
    ]);
  },
);

test.each(
  running.flatMap((row) =>
    Object.keys(row.init).includes("config") && row.runs[1] !== "destroy"
      ? [undefined, {}, { msgpack: Uint8Array.of(0xc0) }, { msgpack: Uint8Array.of(0xc1) }].map(
          (config) => ({ ...row, config }),
        )
      : [],
  ),
)("$what without a readable configuration ($config) is an error", async ({ config, ...row }) => {
  const { call } = await configured();
  expect((await call(row, { ...row.init, config })).diagnostics).toMatchObject([
    { severity: 1, summary: "A value does not fit its type" },
  ]);
});

const rowOf = (method: string, operation?: string) => {
  const found = METHODS.find(
    (row) => row.method === method && (operation === undefined || row.runs?.[1] === operation),
  );
  if (found === undefined) throw new Error(method);
  return found;
};

test.each([
  ["PlanResourceChange", "plan", { planned: { made: "x" } }, "made"],
  ["ApplyResourceChange", "update", { state: { name: 1 } }, "name"],
  ["ReadDataSource", "read", { state: { name: 1 } }, "name"],
  ["OpenEphemeralResource", "open", { result: { name: 1 } }, "name"],
])("%s whose result does not fit its schema is an error at the attribute", async (...given) => {
  const [method, operation, result, attributeName] = given;
  const row = rowOf(method, operation);
  const misfit = await configured(row.runs, async () => result);
  expect(await misfit.call(row, row.init)).toMatchObject({
    diagnostics: [{ severity: 1, attribute: { steps: [{ attributeName }] } }],
  });
  const nothing = await configured(row.runs, async () => ({}));
  expect(await nothing.call(row, row.init)).toMatchObject({
    diagnostics: [{ severity: 1, summary: "The provider returned no result" }],
  });
});

test("after a failed configuration there is none", async () => {
  const { call, configure } = await configured();
  expect((await configure({ name: "refused" })).diagnostics).toMatchObject([
    { severity: 1, summary: "No", attribute: { steps: [{ attributeName: "name" }] } },
  ]);
  const row = rowOf("ReadDataSource");
  expect((await call(row, row.init)).diagnostics).toMatchObject([{ severity: 1 }]);
});

test("StopProvider ends what runs, and the session works as before", async () => {
  let signal: AbortSignal | undefined;
  const row = rowOf("ReadDataSource");
  const { call, methods } = await configured(
    ["dataSources", "read"],
    (config: CtyObject, context: { signal: AbortSignal }) => {
      if (signal !== undefined) return Promise.resolve({ state: config });
      signal = context.signal;
      return new Promise((_, reject) => signal?.addEventListener("abort", reject));
    },
  );
  const stopped = call(row, row.init);
  await methods.get("StopProvider")?.(Empty.encode({}), new AbortController());
  expect((await stopped).diagnostics).toMatchObject([{ severity: 1, summary: "Cancelled" }]);
  expect(signal?.aborted).toBe(true);
  expect((await call(row, row.init)).diagnostics).toEqual([]);
});

describe("a write-only argument", () => {
  const validate = rowOf("ValidateResourceConfig");

  test.each([
    [undefined, 1],
    [false, 1],
    [true, 0],
  ])("for a Terraform that says %s about them is refused %d times", async (able, count) => {
    const { call } = await configured();
    const clientCapabilities =
      able === undefined ? undefined : { writeOnlyAttributesAllowed: able };
    const config = wire({ secret_wo: "canary" });
    const { diagnostics } = await call(validate, { config, clientCapabilities });
    expect(diagnostics).toHaveLength(count);
    expect(JSON.stringify(diagnostics)).not.toContain("canary");
    if (count > 0)
      expect(diagnostics).toMatchObject([
        { attribute: { steps: [{ attributeName: "secret_wo" }] } },
      ]);
  });

  test("is null in every state, whatever the resource returns", async () => {
    const { call } = await configured();
    const given = wire({ name: "x", secret_wo: "canary" });
    const json = bytes('{"secret_wo":"canary"}');
    const states = [
      (await call(rowOf("PlanResourceChange"), { proposedNewState: given, config: given }))
        .plannedState,
      (await call(rowOf("ApplyResourceChange", "create"), { plannedState: given, config: given }))
        .newState,
      (await call(rowOf("UpgradeResourceState"), { rawState: { json }, version: 0 })).upgradedState,
    ];
    expect(states.map((state) => resultOf(SCHEMA, state).secret_wo)).toEqual([null, null, null]);
  });
});

describe("a stored state", () => {
  const upgrade = rowOf("UpgradeResourceState");

  test.each([0, 1])("of layout %d may lack attributes and have more", async (version) => {
    const { call } = await configured();
    const json = bytes('{"made":1234567890123456,"gone":{"a":[1]}}');
    const { upgradedState } = await call(upgrade, { version, rawState: { json } });
    expect(resultOf(SCHEMA, upgradedState)).toEqual({
      ...{ name: null, ids: null, secret_wo: null, made: 1234567890123456 },
    });
  });

  test.each([
    [undefined, 1],
    ["{", 1],
    ['{"made":"x"}', 1],
    ["[]", 0],
    ["{}", 2],
    ["{}", -1],
  ])("%j of version %d is an error", async (json, version) => {
    const { call } = await configured();
    const rawState = json === undefined ? undefined : { json: bytes(json) };
    // Negative numbers are read, and never written.
    const answer = version < 0 ? undefined : await call(upgrade, { version, rawState });
    if (answer === undefined) return;
    expect(answer.diagnostics).toMatchObject([
      { severity: 1, summary: "A value does not fit its type" },
    ]);
    expect(answer.upgradedState).toBeUndefined();
  });
});

describe("a resource", () => {
  test("gets the private data of its prior state, and the configuration apart from the plan", async () => {
    const plan = jest.fn(async ({ proposed }) => ({ planned: proposed }));
    const { call } = await configured(["resources", "plan"], plan);
    const row = rowOf("PlanResourceChange");
    await call(row, row.init);
    expect(plan.mock.calls[0]?.[0]).toMatchObject({
      prior: { name: "a", made: 1 },
      config: { name: "b" },
      private: bytes("p"),
    });
  });

  test("is planned for destruction without its plan, and not destroyed when there is nothing", async () => {
    const plan = jest.fn();
    const { call } = await configured(["resources", "plan"], plan);
    const nothing = wire(null);
    const answer = await call(rowOf("PlanResourceChange"), {
      priorState: wire({ name: "a" }),
      proposedNewState: nothing,
      priorPrivate: bytes("p"),
    });
    expect(answer).toMatchObject({ plannedState: nothing, plannedPrivate: bytes("p") });
    expect(plan).not.toHaveBeenCalled();
    const apply = rowOf("ApplyResourceChange", "destroy");
    const destroyed = await call(apply, { priorState: nothing, plannedState: nothing });
    expect(destroyed).toMatchObject({ newState: nothing, diagnostics: [] });
  });

  test.each(["create", "update", "destroy"] as const)(
    "whose %s is refused keeps its state: private data of it do not count",
    async (operation) => {
      const refusal = { diagnostics: no("No"), private: bytes("of what never was") };
      const row = rowOf("ApplyResourceChange", operation);
      const { call } = await configured(["resources", operation], async () =>
        operation === "destroy" ? refusal.diagnostics : refusal,
      );
      const answer = await call(row, row.init);
      expect(answer.diagnostics).toMatchObject([{ severity: 1, summary: "No" }]);
      expect([answer.newState, answer.private]).toEqual([undefined, new Uint8Array(0)]);
    },
  );

  test("without an import of its own says that there is none", async () => {
    const { call } = await configured(["resources", "import"], undefined);
    expect((await call(rowOf("ImportResourceState"), { id: "x" })).diagnostics).toMatchObject([
      { severity: 1, summary: "The resource cannot be imported" },
    ]);
  });
});
