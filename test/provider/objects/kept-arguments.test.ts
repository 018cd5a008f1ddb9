import { type CtyObject, type CtyValue, UNKNOWN } from "../../../lib/plugin/cty/value";
import { ACCOUNT, HOUR, prepare, T0 } from "./prepared";

type Type = "iam_token" | "iam_rotation";

/** Each argument of a resource that rotates: another value, and what a change of it does. */
const ARGUMENTS: Readonly<
  Record<Type, Readonly<Record<string, readonly [CtyValue, "rotates" | "keeps"]>>>
> = {
  iam_token: {
    scope: ["project", "rotates"],
    project_name: ["shop", "rotates"],
    project_id: ["p2", "rotates"],
    keepers: [{ release: "2" }, "rotates"],
    min_remaining: ["2h", "keeps"],
    rotate_when_remaining: ["3h", "keeps"],
    revoke_on_destroy: [true, "keeps"],
    verify_at_refresh: [true, "keeps"],
    destinations: [["https://api.example.test/"], "keeps"],
    after: [["role-1"], "keeps"],
  },
  iam_rotation: {
    keepers: [{ release: "2" }, "rotates"],
    rotate_every: ["6h", "keeps"],
  },
};
const WEB = { scope: "project", project_name: "web" };

/** The configuration before the change: one in which the argument may be given. */
const before = (type: Type, name: string): CtyObject => {
  if (type === "iam_rotation") return { rotate_every: "12h", keepers: null };
  if (name === "scope") return { ...WEB, scope: "account", project_name: null };
  return name.startsWith("project") ? WEB : ACCOUNT;
};

const ROWS = Object.entries(ARGUMENTS).flatMap(([type, rows]) =>
  Object.entries(rows).map(
    ([name, [value, effect]]) => [type as Type, name, effect, value] as const,
  ),
);

test.each(Object.entries(ARGUMENTS))("every argument of %s is in the table", (type, rows) => {
  const { attributes } = prepare({ type: type as Type }).resource.schema;
  const given = Object.entries(attributes).filter(
    ([, { required, optional, writeOnly }]) => (required || optional) && !writeOnly,
  );
  expect(given.map(([name]) => name).sort()).toEqual(Object.keys(rows).sort());
});

describe.each(ROWS)("of %s, a change of %s %s", (type, name, effect, value) => {
  const config = { ...before(type, name) };
  const changed: CtyObject = {
    ...config,
    [name]: value,
    ...(name === "scope" && { project_name: "web" }),
  };

  test("the token and its number", async () => {
    const { create, apply, plan, identity } = prepare({ type });
    const { state, privateData } = await create(config);
    const applied = await apply(state, changed, privateData);
    const isKept = effect === "keeps";
    expect(applied.state).toMatchObject({
      ...changed,
      ...(isKept && state.token !== undefined && { token: state.token }),
      ...{ id: state.id, rotation: isKept ? 1 : 2 },
    });
    expect(identity.requests).toHaveLength(isKept || type === "iam_rotation" ? 0 : 1);
    const next = applied.state ?? {};
    expect(await plan(next, changed, applied.private ?? privateData)).toEqual({
      planned: next,
      diagnostics: [],
    });
  });

  test("in the plan, and in the same way when it is applied a day later", async () => {
    const { create, plan, clock } = prepare({ type });
    const { state, privateData } = await create(config);
    const first = await plan(state, changed, privateData);
    clock.now = T0 + 24 * HOUR;
    expect((await plan(state, changed, privateData)).planned).toEqual(first.planned);
    expect(first.planned?.rotation).toBe(effect === "keeps" ? 1 : 2);
  });
});

test("what is due when a kept argument changes rotates with the next run", async () => {
  const { create, apply, plan, clock } = prepare({ type: "iam_rotation" });
  const { state } = await create({ rotate_every: "12h", keepers: null });
  const shorter = { rotate_every: "6h", keepers: null };
  clock.now = T0 + 13 * HOUR;
  const kept = (await apply(state, shorter)).state ?? {};
  expect(kept).toMatchObject({ rotation: 1, rotate_at: "2026-01-02T09:04:05Z" });
  expect((await plan(kept, shorter)).planned).toMatchObject({ rotation: 2 });
});

test("what is due while a kept argument is not known may rotate: both plans agree", async () => {
  const { create, plan, clock } = prepare();
  const { state, privateData } = await create();
  const rotation = async (more: CtyObject) =>
    (await plan(state, { ...ACCOUNT, ...more }, privateData)).planned?.rotation;
  clock.now = T0 + 13 * HOUR;
  expect(await rotation({ after: [UNKNOWN] })).toBe(UNKNOWN);
  expect(await rotation({ after: ["x"] })).toBe(1);
  expect(await rotation({})).toBe(2);
});

test.each([
  ["12h", "keeps", 1],
  ["12h1m", "rotates", 2],
])("a min_remaining of %s %s a token that is known to have twelve hours", async (...row) => {
  const [min_remaining, , rotation] = row;
  const { create, plan } = prepare();
  const { state, privateData } = await create();
  const { planned } = await plan(state, { ...ACCOUNT, min_remaining }, privateData);
  expect(planned?.rotation).toBe(rotation);
});

test("a flag that is switched on for a token in use is that token's: its destroy revokes it", async () => {
  const { create, apply, destroy, identity } = prepare();
  const { state, privateData } = await create();
  const kept = (await apply(state, { ...ACCOUNT, revoke_on_destroy: true }, privateData)).state;
  await destroy(kept ?? {});
  expect(identity.revoked).toEqual([expect.objectContaining({ token: state.token })]);
});

test("while a flag is not known, the token is", async () => {
  const { create, plan } = prepare();
  const { state, privateData } = await create();
  const { planned } = await plan(state, { ...ACCOUNT, after: [UNKNOWN] }, privateData);
  expect(planned).toMatchObject({ token: state.token, rotation: 1 });
});
