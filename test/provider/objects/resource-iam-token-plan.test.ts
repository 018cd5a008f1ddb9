import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { type CtyObject, type CtyValue, UNKNOWN } from "../../../lib/plugin/cty/value";
import { expectOften } from "../../support/expect-often";
import { fuzz } from "../../support/fuzz";
import { BLOCK, brief, CANARY, textOf, VARIABLES } from "../fixtures";
import { ACCOUNT, gist, HOUR, prepare, ROTATES, SERVICE, type Setting, T0, WEB } from "./prepared";

describe("a plan", () => {
  test("of a creation knows only the rotation, the kind and the header of the computed attributes", async () => {
    const { plan, identity } = prepare();
    expect(await plan(null, ACCOUNT)).toEqual({
      planned: {
        ...ACCOUNT,
        rotation: 1,
        kind: "iam_token_account_scoped",
        header_name: "X-Auth-Token",
        ...Object.fromEntries(
          [
            ...["id", "token", "headers", "issued_at", "expires_at", "fingerprint", "auth_url"],
            ...["project_id", "user_id", "rotate_at"],
          ].map((name) => [name, UNKNOWN]),
        ),
      },
      diagnostics: [],
    });
    expect(identity.clients).toBe(0);
  });

  test("is empty as long as nothing is due; then knows the id and the next rotation, and says why", async () => {
    const { plan, create, clock, identity } = prepare();
    const { state, privateData } = await create();
    for (const passed of [0, 6, 12]) {
      clock.now = T0 + passed * HOUR;
      expect(await plan(state, ACCOUNT, privateData)).toEqual({ planned: state, diagnostics: [] });
    }
    expect(identity.requests).toEqual([]);
    clock.now = T0 + 13 * HOUR;
    const due = await plan(state, ACCOUNT, privateData);
    expect(gist(due, state)).toEqual(ROTATES);
    expect(due.planned).toMatchObject({
      id: "id-1",
      kind: "iam_token_account_scoped",
      expires_at: UNKNOWN,
    });
    expect(textOf(due.diagnostics)).toBe(
      "An IAM token is rotated\n11 h of the token's 1 d are left, and it is rotated when less than 12 h are.\nThe present token is not revoked: it stays valid until 2026-01-03T03:04:05Z.",
    );
  });

  const EQUIPE = { ...BLOCK, account_id: "\u00e9quipe" };
  const USER = { ...BLOCK, user_id: "u" };
  const NAMED = { ...WEB, project_id: "x" };
  /** With other blocks and arguments for the same token. */
  const SAME: readonly (readonly [string, CtyObject, CtyObject, CtyObject, CtyObject])[] = [
    ["the same domains, given as theirs", EQUIPE, WEB, { user_domain_name: "\u00e9quipe" }, WEB],
    ["a name next to the id", BLOCK, NAMED, {}, NAMED],
  ];
  test.each(SAME)("is empty with %s", async (_name, block, before, more, config) => {
    const { state, privateData } = await prepare({ block }).create(before);
    const { plan } = prepare({ block: { ...block, ...more } });
    expect(await plan(state, config, privateData)).toEqual({ planned: state, diagnostics: [] });
  });

  const BY_ID = { scope: "project", project_id: "p1" };
  test.each<[string, CtyObject, more: CtyObject, config: CtyObject, was: string, is: string]>([
    ["another user", BLOCK, { user_name: "x" }, WEB, '"name":"deployer"', '"name":"x"'],
    [
      "another service",
      BLOCK,
      { auth_url: "https://b.test" },
      WEB,
      '"service":"https://identity.',
      '"service":"https://b.test/',
    ],
    [
      "another account",
      BLOCK,
      { account_id: "7" },
      WEB,
      '"domain":{"name":"123456"}',
      '"domain":{"name":"7"}',
    ],
    [
      "the account by its id",
      BLOCK,
      { account_id: null, account_domain_id: "d" },
      WEB,
      '"domain":{"name":"123456"}',
      '"domain":{"id":"d"}',
    ],
    [
      "another domain of the user",
      BLOCK,
      { user_domain_name: "7" },
      WEB,
      '"user":{"name":"deployer"',
      '"user":{"name":"deployer","domain":{"name":"7"}}',
    ],
    ["another domain of the project", BLOCK, { project_domain_name: "7" }, WEB, "123456", '"7"'],
    ["the user by its id", BLOCK, { user_id: "u" }, WEB, '"deployer"', '"user":{"id":"u"}'],
    // An id is exact.
    ["the user's id in other letters", USER, { user_id: "U" }, WEB, '"id":"u"', '"id":"U"'],
    [
      "the project by another id",
      BLOCK,
      {},
      { ...WEB, project_id: "p2" },
      '"project":{"name":"web"',
      '"project":{"id":"p2"}',
    ],
    ["its id alone", BLOCK, { project_domain_id: "d" }, BY_ID, '"web"', '"project":{"id":"p1"}'],
    [
      "the service's path in other letters",
      { ...BLOCK, auth_url: "https://a.test/x/v3" },
      { auth_url: "https://a.test/X/v3" },
      WEB,
      "/x/v3",
      "/X/v3",
    ],
  ])("with %s rotates, and says so", async (_name, block, more, config, was, is) => {
    const { state, privateData } = await prepare({ block }).create(WEB);
    const { plan } = prepare({ block: { ...block, ...more } });
    const made = await plan(state, config, privateData);
    expect(gist(made, state)).toEqual(ROTATES);
    expect(made.planned?.project_id).toBe(config.project_id ?? UNKNOWN);
    const [before, now] = textOf(made.diagnostics).split(", and would now be for ");
    expect(before).toContain("The token was issued for {");
    expect(before).toContain(was);
    expect(now).toContain(is);
  });

  const FEDERATED = { ...BLOCK, user_name: null, password: null, oidc_token_env: "JWT" };
  const OWN = {
    OS_AUTH_URL: SERVICE,
    OS_APPLICATION_CREDENTIAL_ID: "a1",
    OS_APPLICATION_CREDENTIAL_SECRET: CANARY.password,
  };
  test.each<[string, CtyObject, setting: (of: string) => Setting]>([
    [
      "identity provider",
      WEB,
      (identity_provider) => ({ block: { ...FEDERATED, identity_provider, protocol: "openid" } }),
    ],
    [
      "project, which an application credential does not send,",
      { scope: "project" },
      (OS_PROJECT_NAME) => ({ block: {}, variables: { ...OWN, OS_PROJECT_NAME } }),
    ],
  ])("by another %s rotates", async (_what, config, setting) => {
    const { state, privateData } = await prepare(setting("a")).create(config);
    const planned = await prepare(setting("b")).plan(state, config, privateData);
    expect(gist(planned, state)).toEqual(ROTATES);
  });

  test("with the id of the same project, as ignore_changes gives it, or with one that is not known, is of no other", async () => {
    const { plan, create } = prepare();
    const { state, privateData } = await create(WEB);
    const { project_id = null } = state;
    expect(await plan(state, { ...WEB, project_id }, privateData)).toEqual({
      planned: state,
      diagnostics: [],
    });
    const open = await plan(state, { ...WEB, project_name: UNKNOWN }, privateData);
    expect(textOf(open.diagnostics)).toMatch(/^An IAM token is rotated\nproject_name is not known/);
    expect(open.diagnostics).toHaveLength(1);
  });

  test("of what a refresh has found due rotates, whatever its own clock says", async () => {
    const { create, refresh, plan, clock } = prepare();
    const { state, privateData } = await create();
    clock.now = T0 + 13 * HOUR;
    const { state: found = state } = await refresh(state, privateData);
    clock.now = T0 + 12 * HOUR;
    expect(gist(await plan(found, ACCOUNT, privateData), found)).toEqual(ROTATES);
  });

  test("without project_id, has the service's, until the scope is another", async () => {
    const { plan, create, apply } = prepare();
    const { state, privateData } = await create(WEB);
    expect(state).toMatchObject({ project_id: "p1", user_id: "u1" });
    expect((await plan(state, ACCOUNT, privateData)).planned?.project_id).toBe(UNKNOWN);
    const account = await apply(state, ACCOUNT, privateData);
    expect(account.state).toMatchObject({ project_id: null });
    const back = await apply(account.state ?? null, { scope: "project", project_id: "x" });
    expect(back).toMatchObject({ planned: { project_id: "x" }, state: { project_id: "x" } });
  });

  test("follows OS_PROJECT_NAME, which is not in any argument", async () => {
    const config = { scope: "project" };
    const first = prepare({ block: {}, variables: { ...VARIABLES, OS_PROJECT_NAME: "web" } });
    const { state, privateData } = await first.create(config);
    const second = prepare({ block: {}, variables: { ...VARIABLES, OS_PROJECT_NAME: "shop" } });
    const plan = await second.plan(state, config, privateData);
    expect(textOf(plan.diagnostics)).toMatch(
      /"project":\{"name":"web",.*, and .*"project":\{"name":"shop",/,
    );
    expect(await first.plan(state, config, privateData)).toEqual({
      planned: state,
      diagnostics: [],
    });
  });

  test("reads no secret, and is no error, whatever block there is", async () => {
    const rows: readonly CtyObject[] = [
      {},
      { auth_url: UNKNOWN },
      { ...BLOCK, password: null, password_file: "/no/such/file" },
    ];
    for (const block of rows) {
      const { state, privateData } = await prepare().create();
      const { plan, identity, clock } = prepare({ block });
      expect(await plan(state, ACCOUNT, privateData)).toEqual({ planned: state, diagnostics: [] });
      clock.now = T0 + 13 * HOUR;
      const { diagnostics = [] } = await plan(state, ACCOUNT, privateData);
      expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
      expect(identity.clients).toBe(0);
    }
  });

  test("says nothing about apply as long as the provider block is not known", async () => {
    const { plan } = prepare({ block: { auth_url: UNKNOWN } });
    expect((await plan(null, ACCOUNT)).diagnostics).toEqual([]);
  });

  const APPLY = "warning Apply cannot issue a token with the present settings";
  test("warns, only with a change, that apply will issue nothing", async () => {
    const rows: readonly (readonly [Setting, says: string])[] = [
      [{ block: { auth_url: BLOCK.auth_url } }, "account_id"],
      [{ variables: { IAM_TOKENS_ALLOWED_AUTH_URLS: "https://b.test" } }, "ALLOWED_AUTH_URLS"],
    ];
    for (const [setting, says] of rows) {
      const { state, privateData } = await prepare().create();
      const { plan, clock, identity } = prepare(setting);
      const { diagnostics } = await plan(null, ACCOUNT);
      expect(brief(diagnostics)).toEqual([APPLY]);
      expect(textOf(diagnostics)).toContain(says);
      expect(await plan(state, ACCOUNT, privateData)).toEqual({ planned: state, diagnostics: [] });
      clock.now = T0 + 13 * HOUR;
      const due = await plan(state, ACCOUNT, privateData);
      expect(brief(due.diagnostics)).toEqual(["warning An IAM token is rotated", APPLY]);
      expect(identity.clients).toBe(0);
    }
  });

  test("with an unknown argument does not know the rotation, even if the token is due", async () => {
    const rows: readonly (readonly [CtyObject, kind: CtyValue])[] = [
      [{ keepers: UNKNOWN }, "iam_token_account_scoped"],
      [{ scope: UNKNOWN }, UNKNOWN],
      [{ scope: "project", project_name: UNKNOWN }, "iam_token_project_scoped"],
      [{ scope: "project", project_id: UNKNOWN }, "iam_token_project_scoped"],
    ];
    for (const [more, kind] of rows) {
      const { plan, create, clock } = prepare();
      const { state, privateData } = await create({ ...ACCOUNT, keepers: { a: "1" } });
      for (const passed of [0, 13]) {
        clock.now = T0 + passed * HOUR;
        const config = { ...ACCOUNT, keepers: { a: "1" }, ...more };
        const { planned } = await plan(state, config, privateData);
        const known = { id: "id-1", header_name: "X-Auth-Token", kind };
        expect(planned).toMatchObject({ ...known, rotation: UNKNOWN, token: UNKNOWN });
      }
    }
  });

  test("of what a refresh has found due knows the rotation, whatever is unknown of how it is kept", async () => {
    const { plan, create } = prepare();
    const { state, privateData } = await create();
    const config: CtyObject = { ...ACCOUNT, destinations: [UNKNOWN] };
    const { planned } = await plan({ ...state, rotate_at: null }, config, privateData);
    expect(planned).toMatchObject({ rotation: 2, token: UNKNOWN });
  });

  test("knows the token of the state, which is then in no message", async () => {
    const { create, plan } = prepare();
    const { state } = await create();
    const token = "Of-a-state/0123456789=";
    await plan({ ...state, token }, ACCOUNT);
    const { diagnostics } = await plan(null, { scope: token });
    expect(textOf(diagnostics)).toContain('scope is "(sensitive)"');
  });

  test("refuses destinations outside of the base address, even if nothing is due", async () => {
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
    ["", "(not recorded)"],
    ["{\u001b[2J::set-output::x", "{?[2J\\u003a:set-output\\u003a:x"],
  ])("with private data that are not ours (%j) rotates, and prints them inert", async (...row) => {
    const [text, printed] = row;
    const { plan, create } = prepare();
    const { state } = await create();
    const due = await plan(state, ACCOUNT, Buffer.from(text));
    expect(gist(due, state)).toEqual(ROTATES);
    expect(textOf(due.diagnostics)).toContain(`The token was issued for ${printed}, and would`);
  });
});

test("for any state and configuration, the known values of a plan hold at a later plan and after apply, and nothing throws or leaks", async () => {
  const time = fc.constantFrom(
    "2026-01-02T03:04:05Z",
    "2026-01-03T03:04:05Z",
    "soon",
    null,
    "2036-01-01T00:00:00Z",
  );
  const edited = fc.record({
    token: fc.constantFrom(CANARY.token, "", null),
    issued_at: time,
    expires_at: time,
    rotation: fc.constantFrom(1, 5, null),
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
    fc.boolean(),
    resolved,
    fc.integer({ min: -48, max: 48 }),
    fc.integer({ min: 0, max: 48 }),
    fc.boolean(),
    async (edit, isOpen, more, hours, later, kept) => {
      const { plan, apply, create, clock } = prepare();
      const { state, privateData } = await create();
      const prior = { ...state, ...edit };
      const config = { ...ACCOUNT, ...more };
      const bytes = kept ? privateData : Buffer.from("{");
      clock.now = T0 + hours * HOUR;
      const first = await plan(prior, { ...config, ...(isOpen && { keepers: UNKNOWN }) }, bytes);
      for (const { summary, detail, severity } of first.diagnostics ?? []) {
        expectOften(summary + detail).not.toContain("canary");
        if (severity === "error") expectOften(first.planned).toBe(undefined);
      }
      if (first.planned === undefined || isDeepStrictEqual(first.planned, prior)) return;
      clock.now += later * HOUR;
      const applied = await apply(prior, config, bytes);
      // Terraform takes an update whose unknown values turn out to be what they were for none at
      // all.
      if (isDeepStrictEqual(applied.planned, prior)) {
        if (isOpen) return;
        // The clock was behind, and is right now: Terraform's own error, as for any clock that
        // moves the wrong way.
        expectOften(hours).toBeLessThan(0);
        return;
      }
      for (const [name, value] of Object.entries(first.planned)) {
        if (value === UNKNOWN || (name === "keepers" && isOpen)) continue;
        expectOften([name, applied.planned[name]]).toEqual([name, value]);
      }
      if (applied.state === undefined) return;
      for (const [name, value] of Object.entries(applied.planned)) {
        const now = applied.state[name];
        expectOften([name, now === UNKNOWN]).toEqual([name, false]);
        if (value !== UNKNOWN) expectOften([name, now]).toEqual([name, value]);
      }
    },
  );
  await fc.assert(property, fuzz(1500));
});
