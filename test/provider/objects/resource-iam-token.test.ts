import type { CtyObject } from "../../../lib/plugin/cty/value";
import { UNKNOWN } from "../../../lib/plugin/cty/value";
import { IamTokensError } from "../../../lib/tokens";
import { BLOCK, brief, CANARY, textOf } from "../fixtures";
import { ACCOUNT, HOUR, prepare, T0 } from "./rotating-token";

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
  "reports the argument of a wrong duration: %s",
  (name) => {
    const found = prepare().resource.validate?.({ ...ACCOUNT, [name]: "often" });
    expect(textOf(found)).toContain(`${name}: "often" is not a duration.`);
  },
);

describe("apply", () => {
  test("issues a separate token for the state each time", async () => {
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

  test("keeps the token's owner in private data, and no secret", async () => {
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
    expect(textOf(failed.diagnostics)).toContain("it stays valid until 2026-01-03T03:04:05Z");
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
    "of %j with tokens of 6 hours is reported with both numbers, or accepted: %j",
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

  test("of a token that ends with its application credential names that end", async () => {
    const { apply, identity } = prepare();
    const expiresAt = new Date(T0 + HOUR);
    const issuedAt = new Date(T0);
    identity.onIssue = async () => ({ issuedAt, expiresAt, credentialEndsAt: expiresAt });
    const { diagnostics } = await apply(null, { ...ACCOUNT, rotate_when_remaining: "2h" });
    expect(brief(diagnostics)).toEqual(["ERR_ROTATION_THRESHOLD at rotate_when_remaining"]);
    expect(textOf(diagnostics)).toContain(
      `, which ends with the application credential at ${expiresAt.toISOString()}, lives 1 h`,
    );
  });

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
    "of %j with a token that is already 20 hours old is reported with the remaining time, or accepted: %j",
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
          "was already 20 h old when the service answered, and lives for another 4 h",
        );
      expect(state === undefined).toBe(expected.length > 0);
    },
  );

  test("reports only the class of an unexpected error", async () => {
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

test("a removal needs no credentials, and says until when the token lives, in which files, and what revokes it", async () => {
  const { resource, context, create, clock } = prepare({ block: BLOCK });
  const { state } = await create();
  const gone = await resource.destroy({ state }, context);
  expect(brief(gone)).toEqual(["warning A removed IAM token stays valid"]);
  for (const part of [
    "valid until 2026-01-03T03:04:05Z",
    "iam-tokens revoke --state FILE",
    "terraform.tfstate.backup",
    "terraform.STACK.tfstate.backup",
    "revoke_on_destroy = true",
  ])
    expect(textOf(gone)).toContain(part);
  const declared = prepare({ block: { ...BLOCK, declared_by: "identity" } });
  const said = textOf(await declared.resource.destroy({ state }, declared.context));
  expect(said).toContain("With revokeOnDestroy: true a destroy");
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
