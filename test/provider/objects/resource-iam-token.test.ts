import fc from "fast-check";
import type { CtyObject, CtyValue } from "../../../lib/plugin/cty/value";
import { UNKNOWN } from "../../../lib/plugin/cty/value";
import type { Plan } from "../../../lib/plugin/provider";
import { createIamProvider } from "../../../lib/provider/iam-provider";
import { IamTokensError } from "../../../lib/tokens";
import {
  BLOCK,
  brief,
  CANARY,
  contextOf,
  FakeIdentity,
  sessionOf,
  surroundingsOf,
  textOf,
  VARIABLES,
} from "../fixtures";

const HOUR = 3_600_000;
/** When FakeIdentity's tokens are issued; they expire 24 hours later. */
const T0 = Date.parse("2026-01-02T03:04:05Z");
const UNSET = {
  project_name: null,
  min_remaining: null,
  destinations: null,
  rotate_when_remaining: null,
  keepers: null,
};
const ACCOUNT: CtyObject = { ...UNSET, scope: "account" };
const NO_BYTES = new Uint8Array(0);

const prepare = ({ block = BLOCK as CtyObject, variables = {} as Record<string, string> } = {}) => {
  const identity = new FakeIdentity();
  const clock = { now: T0 };
  let ids = 0;
  const provider = createIamProvider({
    surroundings: surroundingsOf(variables),
    identity,
    now: () => clock.now,
    newId: () => `id-${++ids}`,
  });
  const resource = provider.resources?.iam_token;
  if (resource === undefined) throw new Error("no iam_token");
  const context = contextOf(sessionOf(block));
  const plan = (prior: CtyObject | null, config: CtyObject, privateData: Uint8Array = NO_BYTES) =>
    resource.plan(
      { prior, config, proposed: { ...prior, ...config }, private: privateData },
      context,
    );
  /** As Terraform does it: plan, and apply what was planned. */
  const apply = async (
    prior: CtyObject | null,
    config: CtyObject,
    privateData: Uint8Array = NO_BYTES,
  ) => {
    const { planned } = await plan(prior, config, privateData);
    if (planned === undefined) throw new Error("nothing was planned");
    const change = { config, planned };
    const applied = await (prior === null
      ? resource.create(change, context)
      : resource.update({ ...change, prior }, context));
    return { ...applied, planned };
  };
  const create = async (config: CtyObject = ACCOUNT) => {
    const { state, private: privateData } = await apply(null, config);
    if (state === undefined || privateData === undefined) throw new Error("nothing was created");
    identity.requests.length = 0;
    return { state, privateData };
  };
  return { identity, clock, provider, resource, context, plan, apply, create };
};

/** What is planned for an instance that is there, in short. */
const gist = ({ planned, diagnostics }: Plan, prior: CtyObject) =>
  planned === prior
    ? "nothing"
    : { rotation: planned?.rotation, token: planned?.token, warnings: brief(diagnostics) };
const ROTATES = { rotation: 2, token: UNKNOWN, warnings: ["warning An IAM token is rotated"] };

describe("a plan", () => {
  test("of a creation knows the rotation, the kind and the header, and nothing else that is computed", async () => {
    const { plan, identity } = prepare();
    expect(await plan(null, ACCOUNT)).toEqual({
      planned: {
        ...ACCOUNT,
        rotation: 1,
        kind: "iam_token_account_scoped",
        header_name: "X-Auth-Token",
        ...Object.fromEntries(
          ["id", "token", "headers", "issued_at", "expires_at", "fingerprint", "auth_url"].map(
            (name) => [name, UNKNOWN],
          ),
        ),
      },
    });
    expect(identity.clients).toBe(0);
  });

  test("finds nothing to do as long as nothing is due", async () => {
    const { plan, create, clock, identity } = prepare();
    const { state, privateData } = await create();
    for (const passed of [0, 6, 12]) {
      clock.now = T0 + passed * HOUR;
      expect(await plan(state, ACCOUNT, privateData)).toEqual({ planned: state });
    }
    expect(identity.requests).toEqual([]);
  });

  test("tells of a threshold that is not known yet nothing but that", async () => {
    const { plan, create, clock } = prepare();
    const config = { ...ACCOUNT, rotate_when_remaining: "6h" };
    const { state, privateData } = await create(config);
    clock.now = T0 + 17 * HOUR;
    const { diagnostics, planned } = await plan(
      state,
      { ...config, rotate_when_remaining: UNKNOWN },
      privateData,
    );
    expect(planned?.rotation).toBe(UNKNOWN);
    expect(textOf(diagnostics)).toMatch(
      /^An IAM token is rotated\nrotate_when_remaining is not known before apply/,
    );
  });

  test("of a due token knows its id and the next rotation, and says why", async () => {
    const { plan, create, clock } = prepare();
    const { state, privateData } = await create();
    clock.now = T0 + 13 * HOUR;
    const due = await plan(state, ACCOUNT, privateData);
    expect(gist(due, state)).toEqual(ROTATES);
    expect(due.planned).toMatchObject({
      id: "id-1",
      kind: "iam_token_account_scoped",
      expires_at: UNKNOWN,
    });
    expect(textOf(due.diagnostics)).toBe(
      "An IAM token is rotated\n11 h of the token's 1 d are left, and it is rotated when less than 12 h are.\nThe present token is not revoked: it lives until 2026-01-03T03:04:05Z.",
    );
  });

  test.each([
    { scope: "project", project_name: "web" },
    { min_remaining: "1h" },
    { rotate_when_remaining: "12h" },
    { keepers: {} },
    { destinations: ["https://x.example.test/"] },
  ])("with %j instead rotates", async (more) => {
    const { plan, create } = prepare();
    const { state, privateData } = await create();
    expect(gist(await plan(state, { ...ACCOUNT, ...more }, privateData), state)).toEqual(ROTATES);
  });

  test.each([
    [{ user_name: "other" }, 'The user is "other" now; the token is for "deployer".'],
    [{ account_id: "7" }, 'The account is "7" now; the token is for "123456".'],
    [
      { auth_url: "https://new.example.test" },
      'The service is "https://new.example.test/identity/v3" now',
    ],
  ])("under a provider block with %j rotates, and says so", async (more, why) => {
    const { create } = prepare();
    const { state, privateData } = await create();
    const other = prepare({ block: { ...BLOCK, ...more } });
    const plan = await other.plan(state, ACCOUNT, privateData);
    expect(gist(plan, state)).toEqual(ROTATES);
    expect(textOf(plan.diagnostics)).toContain(why);
  });

  test("follows OS_PROJECT_NAME, which no argument shows", async () => {
    const config = { ...UNSET, scope: "project" };
    const first = prepare({ block: {}, variables: { ...VARIABLES, OS_PROJECT_NAME: "web" } });
    const { state, privateData } = await first.create(config);
    const second = prepare({ block: {}, variables: { ...VARIABLES, OS_PROJECT_NAME: "shop" } });
    const plan = await second.plan(state, config, privateData);
    expect(textOf(plan.diagnostics)).toContain(
      'The project is "shop" now; the token is for "web".',
    );
    expect(await first.plan(state, config, privateData)).toEqual({ planned: state });
  });

  test("reads no secret, and is no error without credentials, or with ones that are not known yet", async () => {
    const { create } = prepare();
    const { state, privateData } = await create();
    const blocks: CtyObject[] = [
      {},
      { auth_url: UNKNOWN },
      { ...BLOCK, password: null, password_file: "/no/such/file" },
    ];
    for (const block of blocks) {
      const { plan, identity, clock } = prepare({ block });
      expect(await plan(state, ACCOUNT, privateData)).toEqual({ planned: state });
      clock.now = T0 + 13 * HOUR;
      expect(
        brief((await plan(state, ACCOUNT, privateData)).diagnostics).filter(
          (each) => !each.startsWith("warning"),
        ),
      ).toEqual([]);
      expect(identity.clients).toBe(0);
    }
  });

  test("says that apply will issue nothing, when that can be seen already", async () => {
    const { plan } = prepare({ block: { auth_url: BLOCK.auth_url } });
    const { diagnostics } = await plan(null, ACCOUNT);
    expect(brief(diagnostics)).toEqual(["warning As things are here, apply will issue no token"]);
    expect(textOf(diagnostics)).toContain("account_id");
    expect(
      (await prepare({ block: { auth_url: UNKNOWN } }).plan(null, ACCOUNT)).diagnostics,
    ).toBeUndefined();
  });

  describe("for an address that IAM_TOKENS_ALLOWED_AUTH_URLS does not list", () => {
    const refusing = (variables = { IAM_TOKENS_ALLOWED_AUTH_URLS: "https://other.example.test" }) =>
      prepare({ variables });

    test("is an error where a token is to be issued, and none where nothing is due", async () => {
      const { state, privateData } = await prepare().create();
      const { plan, clock, identity } = refusing();
      expect(brief((await plan(null, ACCOUNT)).diagnostics)).toEqual(["ERR_ADDRESS_NOT_ALLOWED"]);
      expect(await plan(state, ACCOUNT, privateData)).toEqual({ planned: state });
      clock.now = T0 + 13 * HOUR;
      const { diagnostics } = await plan(state, ACCOUNT, privateData);
      expect(brief(diagnostics)).toEqual([
        "warning An IAM token is rotated",
        "ERR_ADDRESS_NOT_ALLOWED",
      ]);
      expect(textOf(diagnostics)).toContain("it lives until 2026-01-03T03:04:05Z");
      expect(identity.clients).toBe(0);
    });

    test("is one too where the list itself has a mistake", async () => {
      const { plan } = refusing({ IAM_TOKENS_ALLOWED_AUTH_URLS: "example" });
      const { diagnostics } = await plan(null, ACCOUNT);
      expect(brief(diagnostics)).toEqual(["ERR_ADDRESS_INVALID"]);
      expect(textOf(diagnostics)).toContain("Entry 1 of IAM_TOKENS_ALLOWED_AUTH_URLS");
    });

    test("is one where only the scope is not known yet, since a token will be issued in any case", async () => {
      const { state, privateData } = await prepare().create();
      const { plan, clock } = refusing();
      expect(brief((await plan(null, { ...ACCOUNT, scope: UNKNOWN })).diagnostics)).toEqual([
        "ERR_ADDRESS_NOT_ALLOWED",
      ]);
      clock.now = T0 + 13 * HOUR;
      const due = await plan(state, { ...ACCOUNT, scope: UNKNOWN }, privateData);
      expect(brief(due.diagnostics)).toEqual([
        "warning An IAM token is rotated",
        "ERR_ADDRESS_NOT_ALLOWED",
      ]);
    });

    test("is a warning as long as it is open whether a token will be issued", async () => {
      const { state, privateData } = await prepare().create({ ...ACCOUNT, keepers: { a: "1" } });
      const { diagnostics } = await refusing().plan(
        state,
        { ...ACCOUNT, keepers: UNKNOWN },
        privateData,
      );
      expect(brief(diagnostics)).toEqual([
        "warning An IAM token is rotated",
        "warning As things are here, apply will issue no token",
      ]);
      expect(textOf(diagnostics)).toContain("IAM_TOKENS_ALLOWED_AUTH_URLS does not list it");
    });

    test("says nothing of an address that is not known yet", async () => {
      const { plan } = prepare({
        block: { ...BLOCK, auth_url: UNKNOWN },
        variables: { IAM_TOKENS_ALLOWED_AUTH_URLS: "https://other.example.test" },
      });
      expect((await plan(null, ACCOUNT)).diagnostics).toBeUndefined();
    });
  });

  test.each<CtyObject>([
    { keepers: UNKNOWN },
    { keepers: { a: UNKNOWN } },
    { rotate_when_remaining: UNKNOWN },
    { scope: UNKNOWN },
    { scope: "project", project_name: UNKNOWN },
  ])("with %p does not know the rotation, also when the token is due", async (more) => {
    const { plan, create, clock } = prepare();
    const { state, privateData } = await create({ ...ACCOUNT, keepers: { a: "1" } });
    for (const passed of [0, 13]) {
      clock.now = T0 + passed * HOUR;
      const { planned } = await plan(
        state,
        { ...ACCOUNT, keepers: { a: "1" }, ...more },
        privateData,
      );
      expect(planned).toMatchObject({
        id: "id-1",
        rotation: UNKNOWN,
        token: UNKNOWN,
        header_name: "X-Auth-Token",
      });
      expect(planned?.kind).toBe(
        "scope" in more
          ? more.scope === UNKNOWN
            ? UNKNOWN
            : "iam_token_project_scoped"
          : "iam_token_account_scoped",
      );
    }
  });

  test("refuses destinations outside of the base address, also when nothing is due", async () => {
    const config = { ...ACCOUNT, destinations: ["https://api.example.test/x"] };
    const { create } = prepare();
    const { state, privateData } = await create(config);
    const { plan } = prepare({ block: { ...BLOCK, base_url: "https://other.example.test" } });
    const refused = await plan(state, config, privateData);
    expect(brief(refused.diagnostics)).toEqual(["ERR_DESTINATION_REFUSED at destinations"]);
    expect(refused.planned).toBeUndefined();
    const open: CtyObject = { ...ACCOUNT, destinations: [UNKNOWN] };
    expect((await plan(null, open)).planned).toBeDefined();
  });

  test.each([
    "",
    "{",
    "null",
    '"x"',
    "{}",
    '{"service":1,"account":"a","user":"u","project":null}',
    '{"service":"s","account":"a","user":"u","project":7}',
  ])("with private data that are not ours (%s) rotates", async (text) => {
    const { plan, create } = prepare();
    const { state } = await create();
    const due = await plan(state, ACCOUNT, Buffer.from(text));
    expect(gist(due, state)).toEqual(ROTATES);
    expect(textOf(due.diagnostics)).toContain(
      "The state does not say for whom the token was issued.",
    );
  });
});

describe("validation", () => {
  test.each<[CtyObject, string[]]>([
    [{ rotate_when_remaining: "24h" }, ["ERR_ROTATION_THRESHOLD at rotate_when_remaining"]],
    [{ rotate_when_remaining: "2d" }, ["ERR_ROTATION_THRESHOLD at rotate_when_remaining"]],
    [{ rotate_when_remaining: "0h" }, ["ERR_DURATION_INVALID at rotate_when_remaining"]],
    [{ rotate_when_remaining: "-1h" }, ["ERR_DURATION_INVALID at rotate_when_remaining"]],
    [{ rotate_when_remaining: "soon" }, ["ERR_DURATION_INVALID at rotate_when_remaining"]],
    [{ rotate_when_remaining: "23h59m59s" }, []],
    [
      { scope: "all", min_remaining: "24h" },
      ["ERR_SCOPE_INVALID at scope", "ERR_LIFETIME_TOO_SHORT at min_remaining"],
    ],
    [{ rotate_when_remaining: UNKNOWN, keepers: UNKNOWN, scope: UNKNOWN }, []],
  ])("of %p finds %j, and so do plan and apply", async (more, expected) => {
    const { resource, plan, context, identity } = prepare();
    const config: CtyObject = { ...ACCOUNT, ...more };
    expect(brief(resource.validate?.(config))).toEqual(expected);
    if (expected.length === 0) return;
    expect(brief((await plan(null, config)).diagnostics)).toEqual(expected);
    const applied = await resource.create({ config, planned: config }, context);
    expect(brief(applied.diagnostics)).toEqual(expected);
    expect(identity.requests).toEqual([]);
  });
});

test.each(["min_remaining", "rotate_when_remaining"])(
  "a wrong duration is told with its name: %s",
  (name) => {
    const found = prepare().resource.validate?.({ ...ACCOUNT, [name]: "often" });
    expect(textOf(found)).toContain(`${name}: "often" is not a duration.`);
  },
);

describe("apply", () => {
  test("issues a token of its own, for the state, each time", async () => {
    const { apply, identity, clock } = prepare();
    const config = { ...ACCOUNT, keepers: { a: "1" } };
    const created = await apply(null, config);
    expect(created.diagnostics).toEqual([]);
    expect(created.state).toMatchObject({
      ...config,
      id: "id-1",
      rotation: 1,
      token: CANARY.token,
      expires_at: "2026-01-03T03:04:05Z",
    });
    clock.now = T0 + 13 * HOUR;
    const updated = await apply(created.state ?? {}, config, created.private);
    expect(updated.state).toMatchObject({ id: "id-1", rotation: 2 });
    expect(identity.requests).toMatchObject([
      { way: "issueOwn", request: { keptIn: "state" } },
      { way: "issueOwn", request: { keptIn: "state" } },
    ]);
  });

  test("keeps for whom the token is beside the state, and no secret", async () => {
    const { create } = prepare();
    const { privateData } = await create();
    expect(JSON.parse(Buffer.from(privateData).toString())).toEqual({
      service: "https://identity.example.test/identity/v3",
      account: "123456",
      user: "deployer",
      project: null,
    });
  });

  test("that fails gives no state, and says until when the old token lives", async () => {
    const { apply, create, identity, clock } = prepare();
    const { state, privateData } = await create();
    clock.now = T0 + 13 * HOUR;
    identity.onIssue = () =>
      Promise.reject(new IamTokensError("ERR_SERVICE_FAILED", "The service answered 503."));
    const failed = await apply(state, ACCOUNT, privateData);
    expect(failed.state).toBeUndefined();
    expect(failed.private).toBeUndefined();
    expect(brief(failed.diagnostics)).toEqual([
      "ERR_SERVICE_FAILED",
      "warning An IAM token was not rotated",
    ]);
    expect(textOf(failed.diagnostics)).toContain("it lives until 2026-01-03T03:04:05Z");
    clock.now = T0 + 25 * HOUR;
    expect(textOf((await apply(state, ACCOUNT, privateData)).diagnostics)).toContain(
      "That token has expired.",
    );
    expect(brief((await apply(null, ACCOUNT)).diagnostics)).toEqual(["ERR_SERVICE_FAILED"]);
  });

  test.each([
    [
      { rotate_when_remaining: "6h" },
      ["ERR_ROTATION_THRESHOLD at rotate_when_remaining"],
      "lives 6 h",
      "less than 6 h",
    ],
    [
      { rotate_when_remaining: "7h", min_remaining: "1h" },
      ["ERR_ROTATION_THRESHOLD at rotate_when_remaining"],
      "lives 6 h",
      "less than 7 h",
    ],
    [
      { rotate_when_remaining: "1h", min_remaining: "8h" },
      ["ERR_ROTATION_THRESHOLD at min_remaining"],
      "lives 6 h",
      "less than 8 h",
    ],
    [{ rotate_when_remaining: "5h59m59s" }, [], "", ""],
    [{}, [], "", ""],
  ])(
    "of %j with tokens of 6 hours is told with both numbers, or goes well: %j",
    async (more, expected, one, other) => {
      const { apply, identity } = prepare();
      identity.onIssue = async () => ({
        issuedAt: new Date(T0),
        expiresAt: new Date(T0 + 6 * HOUR),
      });
      const { diagnostics, state } = await apply(null, { ...ACCOUNT, ...more });
      expect(brief(diagnostics)).toEqual(expected);
      expect(textOf(diagnostics)).toContain(one);
      expect(textOf(diagnostics)).toContain(other);
      expect(state === undefined).toBe(expected.length > 0);
    },
  );

  test.each([
    [
      {},
      ["ERR_ROTATION_THRESHOLD at rotate_when_remaining"],
      "and by default it is rotated when less than 12 h are left",
    ],
    [
      { rotate_when_remaining: "6h" },
      ["ERR_ROTATION_THRESHOLD at rotate_when_remaining"],
      "and with rotate_when_remaining it is rotated when less than 6 h are left",
    ],
    [
      { rotate_when_remaining: "4h" },
      ["ERR_ROTATION_THRESHOLD at rotate_when_remaining"],
      "less than 4 h are left",
    ],
    [
      { min_remaining: "1h" },
      ["ERR_ROTATION_THRESHOLD at rotate_when_remaining"],
      "and by default it is rotated when less than 12 h",
    ],
    [
      { rotate_when_remaining: "1h", min_remaining: "5h" },
      ["ERR_ROTATION_THRESHOLD at min_remaining"],
      "and with min_remaining it is rotated when less than 5 h",
    ],
    [{ rotate_when_remaining: "3h59m59s" }, [], ""],
  ])(
    "of %j with a token that is 20 hours old already is told with what is left of it, or goes well: %j",
    async (more, expected, text) => {
      const { apply, identity } = prepare();
      identity.onIssue = async () => ({
        issuedAt: new Date(T0 - 20 * HOUR),
        expiresAt: new Date(T0 + 4 * HOUR),
        remainingMs: 4 * HOUR,
      });
      const { diagnostics, state } = await apply(null, { ...ACCOUNT, ...more });
      expect(brief(diagnostics)).toEqual(expected);
      expect(textOf(diagnostics)).toContain(text);
      if (expected.length > 0)
        expect(textOf(diagnostics)).toContain(
          "was issued 20 h before it was handed out and lives on for 4 h",
        );
      expect(state === undefined).toBe(expected.length > 0);
    },
  );

  test("tells nothing of an unexpected error but its class", async () => {
    const { apply, identity } = prepare();
    identity.onIssue = () => Promise.reject(new RangeError(CANARY.password));
    const { diagnostics } = await apply(null, ACCOUNT);
    expect(textOf(diagnostics)).toContain("RangeError");
    expect(textOf(diagnostics)).not.toContain("canary");
  });

  test("begins a lost count again, under a new id", async () => {
    const { apply, create } = prepare();
    const { state, privateData } = await create();
    const { state: after, planned } = await apply({ ...state, rotation: -1 }, ACCOUNT, privateData);
    expect(planned).toMatchObject({ id: UNKNOWN, rotation: 1 });
    expect(after).toMatchObject({ id: "id-2", rotation: 1 });
  });
});

test("a removal needs nothing, and says until when the token lives", async () => {
  const { resource, context, create, clock } = prepare({ block: BLOCK });
  const { state } = await create();
  const gone = await resource.destroy({ state }, context);
  expect(brief(gone)).toEqual(["warning An IAM token lives on after its removal"]);
  clock.now = T0 + 25 * HOUR;
  expect(await resource.destroy({ state }, context)).toEqual([]);
});

test("an import is refused with the reason", async () => {
  const { resource, context } = prepare();
  expect(brief((await resource.import?.(CANARY.token, context))?.diagnostics)).toEqual([
    "ERR_IMPORT_REFUSED",
  ]);
  expect(textOf((await resource.import?.(CANARY.token, context))?.diagnostics)).not.toContain(
    "canary",
  );
});

test("whatever stands in state and configuration: what a plan knows holds at a later plan and after apply, and nothing throws or leaks", async () => {
  const time = fc.constantFrom(
    "2026-01-02T03:04:05Z",
    "2026-01-03T03:04:05Z",
    "soon",
    null,
    "2036-01-01T00:00:00Z",
  );
  const maybeUnknown = <T extends CtyValue>(...values: T[]) =>
    fc.constantFrom<T | typeof UNKNOWN>(...values, UNKNOWN);
  const edited = fc.record({
    token: fc.constantFrom(CANARY.token, "", null),
    issued_at: time,
    expires_at: time,
    rotation: fc.constantFrom(1, 5, 0, -1, 1.5, null, 2 ** 64),
    id: fc.constantFrom("id", null),
    scope: fc.constantFrom("account", "project", null),
    keepers: fc.constantFrom(null, { a: "1" }),
  });
  const resolved = fc.record({
    keepers: fc.constantFrom(null, { a: "1" }, { a: "2" }),
    rotate_when_remaining: fc.constantFrom(null, "6h", "x"),
  });
  const property = fc.asyncProperty(
    edited,
    maybeUnknown<CtyValue>("keep"),
    resolved,
    fc.integer({ min: -48, max: 48 }),
    fc.integer({ min: 0, max: 48 }),
    fc.boolean(),
    async (edit, open, more, hours, later, kept) => {
      const { plan, apply, create, clock } = prepare();
      const { state, privateData } = await create();
      const prior = { ...state, ...edit };
      const config = { ...ACCOUNT, ...more };
      const bytes = kept ? privateData : Buffer.from("{");
      clock.now = T0 + hours * HOUR;
      const first = await plan(
        prior,
        open === UNKNOWN ? { ...config, keepers: UNKNOWN } : config,
        bytes,
      );
      for (const { summary, detail, severity } of first.diagnostics ?? []) {
        expect(summary + detail).not.toContain("canary");
        if (severity === "error") expect(first.planned).toBeUndefined();
      }
      if (first.planned === undefined || first.planned === prior) return;
      clock.now += later * HOUR;
      const applied = await apply(prior, config, bytes);
      // Terraform takes an update whose unknown values turn out to be what they were for none at
      // all.
      if (applied.planned === prior) {
        if (open === UNKNOWN) return;
        // The clock was behind, and is right now: Terraform's own error, as for any clock that
        // moves the wrong way.
        expect(hours).toBeLessThan(0);
        return;
      }
      for (const [name, value] of Object.entries(first.planned)) {
        if (value === UNKNOWN || (name === "keepers" && open === UNKNOWN)) continue;
        expect([name, applied.planned[name]]).toEqual([name, value]);
      }
      for (const [name, value] of Object.entries(applied.planned)) {
        if (value !== UNKNOWN && applied.state !== undefined)
          expect([name, applied.state[name]]).toEqual([name, value]);
        if (applied.state !== undefined)
          expect([name, applied.state[name] === UNKNOWN]).toEqual([name, false]);
      }
    },
  );
  await fc.assert(property, { seed: 17, numRuns: 1_500 });
});
