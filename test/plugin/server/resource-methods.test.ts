/**
 * Managed resources seen from the wire: what a Terraform that is older, newer or broken may send,
 * and what a resource may do wrong.
 */

import { encodeMsgpack } from "../../../lib/plugin/cty/block-value";
import { type CtyObject, UNKNOWN } from "../../../lib/plugin/cty/value";
import { MessageType } from "../../../lib/plugin/protocol/message";
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
  UpgradeResourceStateRequest,
  UpgradeResourceStateResponse,
  ValidateResourceConfigRequest,
} from "../../../lib/plugin/protocol/tfplugin6";
import type { BlockSchema, ManagedResource, Provider } from "../../../lib/plugin/provider";
import { serveAttached } from "../../../lib/plugin/serve/serve-attached";
import { GrpcClient, PROVIDER, resultOf } from "../fixtures/grpc-client";

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
/** A state, a plan or a configuration on the wire. */
const wire = (values: CtyObject | null) => ({ msgpack: encodeMsgpack(values, SCHEMA.attributes) });
const NULL = wire(null);
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
  return {
    client,
    validate: (values: CtyObject, able?: boolean) =>
      client.call(
        "ValidateResourceConfig",
        ValidateResourceConfigRequest,
        {
          typeName: "thing",
          config: wire(values),
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
          currentState: wire(values),
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
          priorState: wire(prior),
          proposedNewState: wire(proposed),
          config: wire(proposed),
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
          priorState: wire(prior),
          plannedState: wire(planned),
          config: wire(config),
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

  test("is null in every state, whatever the resource returns", async () => {
    const { plan, apply, upgrade } = await start();
    const wo = { name: "x", secret_wo: "canary" };
    const states = [
      (await plan(null, wo)).plannedState,
      (await apply(null, wo)).newState,
      (await upgrade('{"secret_wo":"canary"}')).upgradedState,
      (await upgrade('{"secret_wo":"canary"}', 0)).upgradedState,
    ];
    expect(states.map((state) => resultOf(SCHEMA, state).secret_wo)).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });
});

describe("a stored state", () => {
  test.each([0, 1])(
    "of this layout or an older one (%d) may lack attributes and have more",
    async (version) => {
      const { upgrade } = await start();
      const { upgradedState, diagnostics } = await upgrade(
        '{"made":1234567890123456,"gone":{"a":[1]}}',
        version,
      );
      expect(diagnostics).toEqual([]);
      expect(resultOf(SCHEMA, upgradedState)).toEqual({
        name: null,
        ids: null,
        secret_wo: null,
        made: 1234567890123456,
      });
    },
  );

  test.each([
    [undefined, 1],
    ["", 1],
    ["{", 1],
    ['{"made":"x"}', 1],
    ["{", 0],
    ["[]", 0],
    ["1", 0],
    ["{}", 2],
  ])("%j of version %d is an error", async (json, version) => {
    const { upgrade } = await start();
    const { diagnostics, upgradedState } = await upgrade(json, version);
    expect(diagnostics).toMatchObject([{ severity: 1, summary: "A value does not fit its type" }]);
    expect(upgradedState).toBeUndefined();
  });
});

describe("a resource", () => {
  test("without a read keeps state and private data byte by byte", async () => {
    const { read } = await start();
    const stored = { name: "x", ids: ["b", "a"], made: 3 };
    expect(await read(stored)).toMatchObject({
      newState: wire(stored),
      private: bytes("p"),
      diagnostics: [],
    });
    expect(await read(null)).toMatchObject({ newState: NULL });
  });

  test("hands private data of the prior state to plan, and keeps it unless apply gives its own", async () => {
    const seen: string[] = [];
    const { plan, apply } = await start({
      plan: async ({ proposed, private: prior }) => {
        seen.push(text(prior));
        return { planned: proposed };
      },
      create: async ({ planned }) => ({ state: { ...planned, made: 1 }, private: bytes("new") }),
    });
    const planned = await plan({ name: "a" }, { name: "b" });
    expect([seen, text(planned.plannedPrivate)]).toEqual([["p"], "p"]);
    expect(text((await apply(null, { name: "b" })).private)).toBe("new");
    expect(text((await apply({ name: "a", made: 1 }, { name: "b" })).private)).toBe("p");
  });

  test("is planned for destruction without a call of its plan, and destroyed", async () => {
    const { plan, apply } = await start({ plan: () => Promise.reject(new Error("not asked")) });
    expect(await plan({ name: "a" }, null)).toMatchObject({
      plannedState: NULL,
      plannedPrivate: bytes("p"),
      diagnostics: [],
    });
    expect(await apply({ name: "a" }, null)).toMatchObject({ newState: NULL, diagnostics: [] });
    expect(await apply(null, null)).toMatchObject({ newState: NULL, diagnostics: [] });
  });

  test("gives no new state when it fails: Terraform keeps the old one with its private data", async () => {
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

  test("gives no new state when it is stopped in the middle, even if it does not notice", async () => {
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
    await client.call("StopProvider", Empty, {}, Empty);
    const { diagnostics, newState } = await stopped;
    expect(diagnostics).toMatchObject([{ severity: 1, summary: "Cancelled" }]);
    expect(newState).toBeUndefined();
  });

  test("that returns nothing, or values that do not fit its schema, is an error and changes nothing", async () => {
    const { apply, plan } = await start({
      plan: async () => ({ planned: { made: "x" } }),
      create: async () => ({}),
      update: async () => ({ state: { name: 1 } }),
    });
    expect((await plan(null, { name: "a" })).diagnostics).toMatchObject([
      { attribute: { steps: [{ attributeName: "made" }] } },
    ]);
    expect((await apply(null, { name: "a" })).diagnostics).toMatchObject([
      { summary: "The provider returned no result" },
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
      const answer = await client.unary(
        PROVIDER + method,
        new MessageType({ typeName: request.fields.typeName }).encode({ typeName }),
      );
      const { diagnostics } = response.decode(answer.message);
      expect(diagnostics).toMatchObject([
        { severity: 1, detail: expect.stringMatching("UnknownTypeError") },
      ]);
    }
  });

  test("is never imported, and says why", async () => {
    const refused = await (await start()).import("a");
    expect(refused.diagnostics).toMatchObject([
      { severity: 1, summary: "The resource cannot be imported" },
    ]);
    const why = { severity: "error", summary: "It is another's", detail: "No." } as const;
    const own = await start({ import: async () => ({ diagnostics: [why] }) });
    expect((await own.import("a")).diagnostics).toMatchObject([
      { severity: 1, summary: why.summary },
    ]);
  });
});
