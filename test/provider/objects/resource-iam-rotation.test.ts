import type { CtyObject } from "../../../lib/plugin/cty/value";
import { UNKNOWN } from "../../../lib/plugin/cty/value";
import { createIamProvider } from "../../../lib/provider/iam-provider";
import { brief, contextOf, FakeIdentity, surroundingsOf, textOf } from "../fixtures";

const HOUR = 3_600_000;
const T0 = Date.parse("2026-03-01T00:00:00Z");
const TWELVE: CtyObject = { rotate_every: "12h", keepers: null };
const NO_BYTES = new Uint8Array(0);

const prepare = () => {
  const identity = new FakeIdentity();
  const clock = { now: T0 };
  let ids = 0;
  const provider = createIamProvider({
    processContext: surroundingsOf(),
    identity,
    now: () => clock.now,
    newId: () => `id-${++ids}`,
  });
  const resource = provider.resources?.iam_rotation;
  if (resource === undefined) throw new Error("no iam_rotation");
  const context = contextOf();
  const plan = (prior: CtyObject | null, config: CtyObject) =>
    resource.plan({ prior, config, proposed: { ...prior, ...config }, private: NO_BYTES }, context);
  const create = async (config: CtyObject = TWELVE) => {
    const { state, diagnostics } = await resource.create({ config, planned: config }, context);
    return { state: state ?? {}, diagnostics };
  };
  const update = (prior: CtyObject, config: CtyObject) =>
    resource.update({ config, prior, planned: config }, context);
  return { identity, clock, resource, context, plan, create, update };
};

test("a creation begins the count, and says when the next rotation is due", async () => {
  const { plan, create } = prepare();
  expect((await plan(null, TWELVE)).planned).toEqual({
    ...TWELVE,
    id: UNKNOWN,
    rotation: 1,
    rotated_at: UNKNOWN,
    rotate_at: UNKNOWN,
  });
  expect((await create()).state).toEqual({
    ...TWELVE,
    id: "id-1",
    rotation: 1,
    rotated_at: "2026-03-01T00:00:00Z",
    rotate_at: "2026-03-01T12:00:00Z",
  });
});

test("a rotation is due from its time on, is planned with the next number, and needs neither credentials nor requests", async () => {
  const { plan, create, update, clock, identity } = prepare();
  const { state } = await create();
  clock.now = T0 + 12 * HOUR - 1;
  expect(await plan(state, TWELVE)).toEqual({ planned: state });
  clock.now = T0 + 12 * HOUR;
  const due = await plan(state, TWELVE);
  expect(due.planned).toMatchObject({
    id: "id-1",
    rotation: 2,
    rotated_at: UNKNOWN,
    rotate_at: UNKNOWN,
  });
  expect(textOf(due.diagnostics)).toBe(
    "A rotation is due\nThe rotation was due at 2026-03-01T12:00:00Z, just now.",
  );
  clock.now += HOUR;
  expect((await update(state, TWELVE)).state).toMatchObject({
    rotation: 2,
    rotated_at: "2026-03-01T13:00:00Z",
    rotate_at: "2026-03-02T01:00:00Z",
  });
  expect(identity.clients).toBe(0);
});

test("rotates at once for a shorter interval, changed keepers and impossible times", async () => {
  const { plan, create } = prepare();
  const { state } = await create();
  for (const [config, edit] of [
    [{ ...TWELVE, rotate_every: "6h" }, {}],
    [{ ...TWELVE, keepers: { a: "1" } }, {}],
    [TWELVE, { rotated_at: "x" }],
    [TWELVE, { rotate_at: null }],
    [TWELVE, { rotated_at: "2026-03-02T00:00:00Z" }],
    [TWELVE, { rotate_at: "2026-02-28T00:00:00Z" }],
  ] as const) {
    expect((await plan({ ...state, ...edit }, config)).planned).toMatchObject({ rotation: 2 });
  }
});

test("the number is unknown as long as an argument is unknown", async () => {
  const { plan, create } = prepare();
  const { state } = await create();
  expect((await plan(state, { ...TWELVE, rotate_every: UNKNOWN })).planned).toMatchObject({
    id: "id-1",
    rotation: UNKNOWN,
  });
});

test("it is removed without a message, and cannot be imported", async () => {
  const { resource, context, create } = prepare();
  const { state } = await create();
  expect(await resource.destroy({ state }, context)).toEqual([]);
  expect(brief((await resource.import?.("1", context))?.diagnostics)).toEqual([
    "ERR_IMPORT_REFUSED",
  ]);
});
