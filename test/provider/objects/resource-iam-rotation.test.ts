import { type CtyObject, UNKNOWN } from "../../../lib/plugin/cty/value";
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

test.each<[CtyObject, CtyObject]>([
  [{ rotate_every: "6h" }, {}],
  [{ keepers: { a: "1" } }, {}],
  [{}, { rotated_at: "x" }],
])("rotates at once with %j, or with %j in the state", async (more, edit) => {
  const { plan, create, clock } = rotation();
  const { state } = await create(TWELVE);
  clock.now = T0 + 6 * HOUR;
  const { planned } = await plan({ ...state, ...edit }, { ...TWELVE, ...more });
  expect(planned).toMatchObject({ rotation: 2 });
});

test("with an interval that is not known, the state's time decides", async () => {
  const { plan, create, clock } = rotation();
  const { state } = await create(TWELVE);
  const open: CtyObject = { ...TWELVE, rotate_every: UNKNOWN };
  clock.now = T0 + 12 * HOUR;
  expect(textOf((await plan(state, open)).diagnostics)).toContain("The rotation was due at");
});

test("it is removed without a message, and cannot be imported", async () => {
  const { resource, destroy, create } = rotation();
  const { state } = await create(TWELVE);
  expect(await destroy(state)).toEqual([]);
  expect(brief([resource.notImported])).toEqual(["ERR_IMPORT_REFUSED"]);
});
