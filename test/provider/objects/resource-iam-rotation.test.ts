import { type CtyObject, type CtyValue, UNKNOWN } from "../../../lib/plugin/cty/value";
import { brief, textOf } from "../fixtures";
import { HOUR, prepare, T0 } from "./prepared";

const TWELVE: CtyObject = { rotate_every: "12h", keepers: null };

const rotation = () => prepare({ type: "iam_rotation", block: {} });

test("a creation begins the count, and says when the next rotation is due", async () => {
  const { plan, create } = rotation();
  expect((await plan(null, TWELVE)).planned).toEqual({
    ...TWELVE,
    id: UNKNOWN,
    rotation: 1,
    rotated_at: UNKNOWN,
    rotate_at: UNKNOWN,
  });
  expect((await create(TWELVE)).state).toEqual({
    ...TWELVE,
    id: "id-1",
    rotation: 1,
    rotated_at: "2026-01-02T03:04:05Z",
    rotate_at: "2026-01-02T15:04:05Z",
  });
});

test("a rotation is due from its time on, is planned with the next number, and needs neither credentials nor requests", async () => {
  const { plan, create, apply, clock, identity } = rotation();
  const { state } = await create(TWELVE);
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
    "A rotation is due\nThe rotation was due at 2026-01-02T15:04:05Z, just now.",
  );
  clock.now += HOUR;
  expect((await apply(state, TWELVE)).state).toMatchObject({
    rotation: 2,
    rotated_at: "2026-01-02T16:04:05Z",
    rotate_at: "2026-01-03T04:04:05Z",
  });
  expect(identity.clients).toBe(0);
});

test.each<[hours: number, CtyValue]>([
  [6, "6h"],
  // The state's time decides.
  [12, UNKNOWN],
])("is due after %d hours with an interval of %p", async (hours, rotate_every) => {
  const { plan, create, clock } = rotation();
  const { state } = await create(TWELVE);
  clock.now = T0 + hours * HOUR;
  const { diagnostics } = await plan(state, { ...TWELVE, rotate_every });
  expect(textOf(diagnostics)).toContain("The rotation was due at");
});

test("it is removed without a message, and cannot be imported", async () => {
  const { resource, destroy, create } = rotation();
  const { state } = await create(TWELVE);
  expect(await destroy(state)).toEqual([]);
  expect(brief([resource.notImported])).toEqual(["ERR_IMPORT_REFUSED"]);
});
