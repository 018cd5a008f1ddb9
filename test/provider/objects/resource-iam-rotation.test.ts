import { type CtyObject, UNKNOWN } from "../../../lib/plugin/cty/value";
import { brief, textOf } from "../fixtures";
import { HOUR, prepare, T0 } from "./prepared";

const TWELVE: CtyObject = { rotate_every: "12h", keepers: null };

const NOT_PUSHED = { stored_token_wo: null, pushed_token_wo: null };

const rotation = () => prepare({ type: "iam_rotation", block: {} });

test("a creation begins the count, and says when the next rotation is due", async () => {
  const { plan, create } = rotation();
  expect((await plan(null, TWELVE)).planned).toEqual({
    ...TWELVE,
    id: UNKNOWN,
    rotation: 1,
    rotated_at: UNKNOWN,
    rotate_at: UNKNOWN,
    version: UNKNOWN,
    pushed_fingerprint: UNKNOWN,
    ...NOT_PUSHED,
  });
  expect((await create(TWELVE)).state).toEqual({
    ...TWELVE,
    ...NOT_PUSHED,
    pushed_fingerprint: null,
    version: T0 / 1000,
    id: "id-1",
    rotation: 1,
    rotated_at: "2026-01-02T03:04:05Z",
    rotate_at: "2026-01-02T15:04:05Z",
  });
});

test("a rotation is due from its time on, is planned with the next number, and needs neither credentials nor requests", async () => {
  const { plan, create, apply, refresh, clock, identity } = rotation();
  const { state } = await create(TWELVE);
  clock.now = T0 + 12 * HOUR - 1;
  // An edit by hand is for the plan to refuse.
  expect(await refresh({ ...state, rotate_every: "x" })).not.toHaveProperty("state");
  expect(await plan(state, TWELVE)).toEqual({ planned: state, diagnostics: [] });
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
    version: (T0 + 13 * HOUR) / 1000,
    rotated_at: "2026-01-02T16:04:05Z",
    rotate_at: "2026-01-03T04:04:05Z",
  });
  expect(identity.clients).toBe(0);
});

test("the version rises with a clock that was set back, and after a new creation", async () => {
  const { create, apply, clock } = rotation();
  const { state } = await create(TWELVE);
  clock.now = T0 - HOUR;
  const again = await apply(state, { ...TWELVE, keepers: { release: "2" } });
  expect(again.state?.version).toBe(T0 / 1000 + 1);
  clock.now = T0 + HOUR;
  expect((await create(TWELVE)).state.version).toBeGreaterThan(T0 / 1000 + 1);
});

test("it is removed without a message, and cannot be imported", async () => {
  const { resource, destroy, create } = rotation();
  const { state } = await create(TWELVE);
  expect(await destroy(state)).toEqual([]);
  expect(brief([resource.notImported])).toEqual(["ERR_IMPORT_REFUSED"]);
});
