import type { CtyObject } from "../../../lib/plugin/cty/value";
import { dueNoteIn } from "../../../lib/provider/objects/due-note";
import { textOf } from "../fixtures";
import { ACCOUNT, HOUR, prepare, T0 } from "./prepared";

const EVERY_12H: CtyObject = { rotate_every: "12h" };

/** Both resources, each with its first instance, which is due 12 hours and a second later. */
describe.each([
  ["iam_token", ACCOUNT],
  ["iam_rotation", EVERY_12H],
] as const)("whether an %s is due", (type, config) => {
  const created = async () => {
    const prepared = prepare({ type });
    const { state, privateData: before } = await prepared.create(config);
    const at = (seconds: number) => {
      prepared.clock.now = T0 + 12 * HOUR + seconds * 1000;
    };
    const number = async (bytes = before, prior = state) =>
      (await prepared.plan(prior, config, bytes)).planned?.rotation;
    const refresh = async (prior = state, bytes = before) =>
      (await prepared.refresh(prior, bytes)).private;
    return { ...prepared, refresh, state, before, at, number };
  };

  test("is decided when it is read: plan and apply follow, whatever their clocks say", async () => {
    const { refresh, number, plan, at, state } = await created();
    at(30);
    const noted = await refresh();
    const { diagnostics } = await plan(state, config, noted);
    expect(textOf(diagnostics)).toMatch(/ are left, and |The rotation was due at /);
    for (const seconds of [30, -300, 600, -13 * 3600]) {
      at(seconds);
      expect(await number(noted)).toBe(2);
      expect((await plan(state, config, noted)).diagnostics).toEqual(diagnostics);
    }
  });

  test("is decided by the clock of the plan if nothing is read, and anew with each reading", async () => {
    const { refresh, number, at, state, before } = await created();
    at(-30);
    // A state in which nothing is due has the same bytes, as version 0.1.0 wrote them.
    expect(await refresh()).toEqual(before);
    expect(await number()).toBe(1);
    at(30);
    expect(await number()).toBe(2);
    const noted = await refresh();
    expect(await refresh(state, noted)).toEqual(noted);
    at(-30);
    expect(await refresh(state, noted)).toEqual(before);
  });

  test("is noted for that rotation alone, and the rotation removes the note", async () => {
    const { refresh, number, apply, at, state, before } = await created();
    at(30);
    const noted = await refresh();
    expect((await apply(state, config, noted)).private).toEqual(before);
    at(-30);
    // Also of a backup with the same number, whose token is another one.
    expect(dueNoteIn(noted, state)).toBeDefined();
    expect(dueNoteIn(noted, { ...state, fingerprint: "another" })).toBeUndefined();
    for (const other of [{ rotation: 2 }, { id: "another" }]) {
      const prior = { ...state, ...other };
      expect(await number(noted, prior)).toBe(prior.rotation);
    }
  });

  test.each(["", " ", " x", " 1.5", " -1", " 1e9", " 1 1", ` ${"9".repeat(16)}`])(
    "is the clock's to say if the note was edited to %j",
    async (edit) => {
      const { refresh, number, at } = await created();
      at(30);
      const noted = Buffer.from(await refresh()).toString();
      at(-30);
      expect(await number(Buffer.from(noted.replace(/ \d+$/, edit)))).toBe(1);
      expect(await number(Buffer.from(noted.replace(/\n.*/s, "\nnull")))).toBe(1);
    },
  );
});

test("with damaged arguments nothing is noted, and nothing fails", async () => {
  const rows: readonly (readonly [
    type: "iam_token" | "iam_rotation",
    config: CtyObject,
    edit: CtyObject,
  ])[] = [
    ["iam_token", ACCOUNT, { rotate_when_remaining: "x" }],
    ["iam_token", ACCOUNT, { scope: null }],
    ["iam_rotation", EVERY_12H, { rotate_every: "x" }],
  ];
  for (const row of rows) {
    const [type, config, edit] = row;
    const { refresh, create, clock } = prepare({ type });
    const { state, privateData } = await create(config);
    clock.now += 13 * HOUR;
    expect((await refresh({ ...state, ...edit }, privateData)).private).toEqual(privateData);
  }
});
