/**
 * Managed resources seen from the wire: what a Terraform that is older, newer or broken may send,
 * and what a resource may do wrong.
 */
import {
  type BlockSchema,
  type CtyObject,
  type ManagedResource,
  type Provider,
  serveAttached,
  UNKNOWN,
} from "../../../lib/plugin";
import { encodeMsgpack } from "../../../lib/plugin/cty";
import {
  ApplyResourceChangeRequest,
  ApplyResourceChangeResponse,
  ConfigureProviderRequest,
  DiagnosticsResponse,
  Empty,
  ImportResourceStateRequest,
  ImportResourceStateResponse,
  PlanResourceChangeRequest,
  PlanResourceChangeResponse,
  ReadResourceRequest,
  ReadResourceResponse,
  StopProviderResponse,
  UpgradeResourceStateRequest,
  UpgradeResourceStateResponse,
  ValidateResourceConfigRequest,
} from "../../../lib/plugin/protocol";
import { configOf, GrpcClient, resultOf, typeOf } from "../fixtures/grpc-client";

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const SCHEMA: BlockSchema = {
  version: 1,
  description: "",
  attributes: {
    name: { type: "string", description: "", optional: true },
    ids: { type: ["set", "string"], description: "", optional: true },
    secret_wo: { type: "string", description: "", optional: true, writeOnly: true },
    made: { type: "number", description: "", computed: true },
  },
};
const NULL = { msgpack: encodeMsgpack(null, typeOf(SCHEMA)) };
const bytes = (text: string) => Buffer.from(text);

const THING: ManagedResource<object> = {
  schema: SCHEMA,
  plan: async ({ proposed }) => ({ planned: { ...proposed, made: UNKNOWN } }),
  create: async ({ planned, config }) => ({ state: { ...planned, ...config, made: 1 } }),
  update: async ({ planned, prior }) => ({ state: { ...planned, made: Number(prior.made) + 1 } }),
  destroy: async () => [],
};

async function start(more: Partial<ManagedResource<object>> = {}) {
  const provider: Provider<object> = {
    schema: { description: "", attributes: {} },
    resources: { thing: { ...THING, ...more } },
    dataSources: {},
    ephemeralResources: {},
    configure: async () => ({ session: {} }),
  };
  const server = await serveAttached(provider, { releaseTimeoutMs: 20 });
  ends.push(() => server.close());
  const client = GrpcClient.connect(server.socket);
  ends.push(() => client.end());
  const config = { msgpack: Uint8Array.of(0x80) };
  await client.call("ConfigureProvider", ConfigureProviderRequest, { config }, DiagnosticsResponse);
  const state = (values: CtyObject) => configOf(SCHEMA, values);
  return {
    client,
    validate: (values: CtyObject, able?: boolean) =>
      client.call(
        "ValidateResourceConfig",
        ValidateResourceConfigRequest,
        {
          typeName: "thing",
          config: state(values),
          ...(able === undefined
            ? {}
            : { clientCapabilities: { writeOnlyAttributesAllowed: able } }),
        },
        DiagnosticsResponse,
      ),
    upgrade: (json: string | undefined, version = 1) =>
      client.call(
        "UpgradeResourceState",
        UpgradeResourceStateRequest,
        {
          typeName: "thing",
          version,
          rawState: json === undefined ? undefined : { json: bytes(json) },
        },
        UpgradeResourceStateResponse,
      ),
    read: (values: CtyObject | null, privateText = "p") =>
      client.call(
        "ReadResource",
        ReadResourceRequest,
        {
          typeName: "thing",
          currentState: values === null ? NULL : state(values),
          private: bytes(privateText),
        },
        ReadResourceResponse,
      ),
    plan: (prior: CtyObject | null, proposed: CtyObject | null) =>
      client.call(
        "PlanResourceChange",
        PlanResourceChangeRequest,
        {
          typeName: "thing",
          priorState: prior === null ? NULL : state(prior),
          proposedNewState: proposed === null ? NULL : state(proposed),
          config: proposed === null ? NULL : state(proposed),
          priorPrivate: bytes("p"),
        },
        PlanResourceChangeResponse,
      ),
    apply: (
      prior: CtyObject | null,
      planned: CtyObject | null,
      config: CtyObject | null = planned,
    ) =>
      client.call(
        "ApplyResourceChange",
        ApplyResourceChangeRequest,
        {
          typeName: "thing",
          priorState: prior === null ? NULL : state(prior),
          plannedState: planned === null ? NULL : state(planned),
          config: config === null ? NULL : state(config),
          plannedPrivate: bytes("p"),
        },
        ApplyResourceChangeResponse,
      ),
    import: (id: string) =>
      client.call(
        "ImportResourceState",
        ImportResourceStateRequest,
        { typeName: "thing", id },
        ImportResourceStateResponse,
      ),
  };
}

const text = (value: Uint8Array | undefined) => Buffer.from(value ?? []).toString();

describe("a write-only argument", () => {
  test.each([undefined, false])(
    "is refused for a Terraform that does not know them (%s)",
    async (able) => {
      const { validate } = await start();
      expect((await validate({ secret_wo: "canary" }, able)).diagnostics).toMatchObject([
        {
          severity: 1,
          detail: expect.stringMatching("secret_wo"),
          attribute: { steps: [{ attributeName: "secret_wo" }] },
        },
      ]);
      expect((await validate({ name: "x" }, able)).diagnostics).toEqual([]);
    },
  );

  test("is accepted for one that does", async () => {
    expect((await (await start()).validate({ secret_wo: "canary" }, true)).diagnostics).toEqual([]);
  });

  test("is null in every state, whatever the resource gives back", async () => {
    const { plan, apply, upgrade, read } = await start({
      read: async ({ state }) => ({ state: { ...state, secret_wo: "canary" } }),
      upgradeState: (stored) => ({ ...stored, secret_wo: "canary" }),
    });
    const wo = { name: "x", secret_wo: "canary" };
    const states = [
      (await plan(null, wo)).plannedState,
      (await apply(null, wo)).newState,
      (await upgrade('{"secret_wo":"canary"}')).upgradedState,
      (await upgrade('{"secret_wo":"canary"}', 0)).upgradedState,
      (await read(wo)).newState,
    ];
    expect(states.map((state) => resultOf(SCHEMA, state).secret_wo)).toEqual([
      null,
      null,
      null,
      null,
      null,
    ]);
  });
});

describe("a stored state", () => {
  test("of the present layout may lack attributes and have more; numbers stay exact", async () => {
    const { upgrade } = await start();
    const { upgradedState, diagnostics } = await upgrade(
      '{"made":12345678901234567890,"gone":{"a":[1]}}',
    );
    expect(diagnostics).toEqual([]);
    expect(resultOf(SCHEMA, upgradedState)).toEqual({
      name: null,
      ids: null,
      secret_wo: null,
      made: 12345678901234567890n,
    });
  });

  test.each([
    [undefined, 1],
    ["", 1],
    ["{", 1],
    ["null", 1],
    ["[]", 1],
    ['{"made":"x"}', 1],
    ['{"name":[]}', 1],
    ["{}", 0],
    ["{}", 2],
    ["{}", -1],
  ])("%j of version %d is an error", async (json, version) => {
    const { upgrade } = await start();
    const { diagnostics, upgradedState } = await upgrade(json, version);
    expect(diagnostics).toMatchObject([{ severity: 1, summary: "A value does not fit its type" }]);
    expect(upgradedState).toBeUndefined();
  });

  test("of an older layout is what the resource makes of it", async () => {
    const { upgrade } = await start({
      upgradeState: ({ title }, version) => ({ name: title, made: version }),
    });
    expect(resultOf(SCHEMA, (await upgrade('{"title":"a"}', 0)).upgradedState)).toMatchObject({
      name: "a",
      made: 0,
    });
    for (const json of ["{", "[]", "1"])
      expect((await upgrade(json, 0)).diagnostics).toHaveLength(1);
  });
});

describe("a resource", () => {
  test("that reads nothing keeps state and private data byte by byte", async () => {
    const { read } = await start();
    const stored = { name: "x", ids: ["b", "a"], made: 3 };
    expect(await read(stored)).toMatchObject({
      newState: configOf(SCHEMA, stored),
      private: bytes("p"),
      diagnostics: [],
    });
    expect(await read(null)).toMatchObject({ newState: NULL });
  });

  test("that is gone is null, and one whose reading fails stays as it was", async () => {
    const { read } = await start({
      read: async ({ state }) => {
        if (state.name === "throw") throw new RangeError("canary");
        return state.name === "gone" ? { state: null } : {};
      },
    });
    expect((await read({ name: "gone" })).newState).toMatchObject(NULL);
    const failed = await read({ name: "throw" });
    expect(failed.diagnostics).toMatchObject([{ severity: 1 }]);
    expect(JSON.stringify(failed)).not.toMatch("canary");
    expect(failed.newState).toMatchObject(configOf(SCHEMA, { name: "throw" }));
    expect((await read({ name: "nothing" })).diagnostics).toMatchObject([
      { severity: 1, summary: "The provider gave no result" },
    ]);
  });

  test("hands private data from plan to apply to state, and says what needs another instance", async () => {
    const { plan, apply } = await start({
      plan: async ({ proposed, private: prior }) => ({
        planned: proposed,
        private: bytes(`${text(prior)}lan`),
        requiresReplace: [["name"], ["ids", "a"], ["no such"]],
      }),
      create: async ({ planned, private: given }) => ({
        state: { ...planned, made: 1 },
        private: bytes(`${text(given)}!`),
      }),
    });
    const planned = await plan({ name: "a" }, { name: "b" });
    expect(text(planned.plannedPrivate)).toBe("plan");
    expect(
      planned.requiresReplace.map(({ steps }) => steps.map(({ attributeName }) => attributeName)),
    ).toEqual([["name"], ["ids"], []]);
    expect(text((await apply(null, { name: "b" })).private)).toBe("p!");
    expect(text((await apply({ name: "a", made: 1 }, { name: "b" })).private)).toBe("p");
  });

  test("is planned for destruction without being asked, and destroyed", async () => {
    const { plan, apply } = await start({ plan: () => Promise.reject(new Error("not asked")) });
    expect(await plan({ name: "a" }, null)).toMatchObject({
      plannedState: NULL,
      plannedPrivate: bytes("p"),
      diagnostics: [],
    });
    expect(await apply({ name: "a" }, null)).toMatchObject({ newState: NULL, diagnostics: [] });
    expect(await apply(null, null)).toMatchObject({ newState: NULL, diagnostics: [] });
  });

  test("gives no new state when it fails, so that Terraform keeps the old one with its private data", async () => {
    const refused = [{ severity: "error", summary: "No", detail: "No." }] as const;
    const { apply } = await start({
      create: () => Promise.reject(new RangeError("canary")),
      update: async () => ({ diagnostics: refused, private: bytes("of a change that never was") }),
      destroy: async () => refused,
    });
    for (const [prior, planned] of [
      [null, { name: "a" }],
      [{ name: "a" }, { name: "b" }],
      [{ name: "a" }, null],
    ] as const) {
      const answer = await apply(prior, planned);
      expect(answer.diagnostics).toMatchObject([{ severity: 1 }]);
      expect(answer.newState).toBeUndefined();
      expect(answer.private).toEqual(new Uint8Array(0));
      expect(JSON.stringify(answer)).not.toMatch("canary");
    }
  });

  test("gives no new state when it is stopped in the middle, also when it does not notice", async () => {
    let begun = () => {};
    const started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const { apply, client } = await start({
      update: () => {
        begun();
        return new Promise(() => {});
      },
    });
    const stopped = apply({ name: "a" }, { name: "b" });
    await started;
    await client.call("StopProvider", Empty, {}, StopProviderResponse);
    const { diagnostics, newState } = await stopped;
    expect(diagnostics).toMatchObject([{ severity: 1, summary: "Cancelled" }]);
    expect(newState).toBeUndefined();
  });

  test("that gives nothing, or what does not fit its schema, is an error and changes nothing", async () => {
    const { apply, plan } = await start({
      plan: async () => ({ planned: { made: "x" } }),
      create: async () => ({}),
      update: async () => ({ state: { name: 1 } }),
    });
    expect((await plan(null, { name: "a" })).diagnostics).toMatchObject([
      { attribute: { steps: [{ attributeName: "made" }] } },
    ]);
    expect((await apply(null, { name: "a" })).diagnostics).toMatchObject([
      { summary: "The provider gave no result" },
    ]);
    expect((await apply({ name: "a" }, { name: "b" })).newState).toBeUndefined();
  });

  test("of a type that does not exist is an error, in every method", async () => {
    const { client } = await start();
    const typeName = "constructor";
    for (const [method, request, response] of [
      ["ValidateResourceConfig", ValidateResourceConfigRequest, DiagnosticsResponse],
      ["UpgradeResourceState", UpgradeResourceStateRequest, UpgradeResourceStateResponse],
      ["ReadResource", ReadResourceRequest, ReadResourceResponse],
      ["PlanResourceChange", PlanResourceChangeRequest, PlanResourceChangeResponse],
      ["ApplyResourceChange", ApplyResourceChangeRequest, ApplyResourceChangeResponse],
      ["ImportResourceState", ImportResourceStateRequest, ImportResourceStateResponse],
    ] as const) {
      const { diagnostics } = await client.call<
        { typeName: string },
        { diagnostics: readonly object[] }
      >(method, request as never, { typeName }, response as never);
      expect(diagnostics).toMatchObject([
        { severity: 1, detail: expect.stringMatching("UnknownTypeError") },
      ]);
    }
  });

  test("is imported only when it can be", async () => {
    const refused = await (await start()).import("a");
    expect(refused.diagnostics).toMatchObject([
      { severity: 1, summary: "The resource cannot be imported" },
    ]);
    expect(refused.importedResources).toEqual([]);
    const { import: importThing } = await start({
      import: async (id) => ({ state: { name: id }, private: bytes("q") }),
    });
    const { importedResources, diagnostics } = await importThing("a");
    expect(diagnostics).toEqual([]);
    expect(importedResources).toMatchObject([{ typeName: "thing", private: bytes("q") }]);
    expect(resultOf(SCHEMA, importedResources[0]?.state)).toMatchObject({ name: "a" });
  });
});
