import { brief, CANARY, textOf } from "../fixtures";
import { ACCOUNT, HOUR, prepare, refuses, SERVICE, T0 } from "./prepared";

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
    expect(updated).toMatchObject({ state: { id: "id-1", rotation: 2 }, diagnostics: [] });
    expect(identity.requests).toMatchObject([
      { way: "issueOwn", request: { storedIn: "state" } },
      { way: "issueOwn", request: { storedIn: "state" } },
    ]);
  });

  test("keeps the token's owner in private data, and no secret", async () => {
    const { create } = prepare();
    const { privateData } = await create();
    expect(JSON.parse(Buffer.from(privateData).toString())).toEqual({
      service: SERVICE,
      user: { name: "deployer", domain: { name: "123456" } },
      account: { name: "123456" },
    });
  });

  test("that fails gives no state, and says until when the old token lives", async () => {
    const { apply, create, identity, clock } = prepare();
    const { state, privateData } = await create();
    clock.now = T0 + 13 * HOUR;
    identity.onIssue = refuses("ERR_SERVICE_FAILED");
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
      "That token has expired, or is refused.",
    );
    expect(brief((await apply(null, ACCOUNT)).diagnostics)).toEqual(["ERR_SERVICE_FAILED"]);
  });

  test("with tokens of 6 hours is reported with both numbers, or accepted", async () => {
    const issuing = async (more: Readonly<Record<string, string>>) => {
      const { apply, identity } = prepare();
      identity.onIssue = async () => ({
        issuedAt: new Date(T0),
        expiresAt: new Date(T0 + 6 * HOUR),
      });
      return { ...(await apply(null, { ...ACCOUNT, ...more })), identity };
    };
    const short = await issuing({ rotate_when_remaining: "1h", min_remaining: "8h" });
    expect(brief(short.diagnostics)).toEqual(["ERR_ROTATION_THRESHOLD at min_remaining"]);
    expect(textOf(short.diagnostics)).toMatch(
      /lives 6 h, and with min_remaining it.*less than 8 h/,
    );
    expect([short.state, short.identity.revoked.length]).toEqual([undefined, 1]);
    const enough = await issuing({ rotate_when_remaining: "5h59m59s" });
    expect([brief(enough.diagnostics), enough.identity.revoked]).toEqual([[], []]);
    expect(enough.state).toBeDefined();
  });

  test("of a token that is already 20 hours old compares the remaining time", async () => {
    const { apply, identity } = prepare();
    identity.onIssue = async () => ({
      issuedAt: new Date(T0 - 20 * HOUR),
      expiresAt: new Date(T0 + 4 * HOUR),
      remainingMs: 4 * HOUR,
    });
    const { diagnostics } = await apply(null, ACCOUNT);
    expect(brief(diagnostics)).toEqual(["ERR_ROTATION_THRESHOLD at rotate_when_remaining"]);
    identity.onRevoke = refuses("ERR_NO_ANSWER");
    expect(brief((await apply(null, ACCOUNT)).diagnostics).slice(1)).toEqual([
      "warning A token could not be revoked: it stays valid until it expires",
    ]);
    expect(textOf(diagnostics)).toContain(
      "lives 4 h, and by default it is rotated when less than 12 h are left",
    );
    const accepted = await apply(null, { ...ACCOUNT, rotate_when_remaining: "3h59m59s" });
    expect(accepted.diagnostics).toEqual([]);
  });
});

test("a removal needs no credentials, and says until when the token lives, in which files, and what revokes it", async () => {
  const { destroy, create, clock } = prepare();
  const { state } = await create();
  const gone = await destroy(state);
  expect(brief(gone)).toEqual(["warning A removed IAM token stays valid"]);
  for (const part of [
    "valid until 2026-01-03T03:04:05Z",
    "npx --no-install cdktf-iam-tokens revoke --auth-url ADDRESS --state FILE",
    "terraform.tfstate.backup",
    "terraform.STACK.tfstate.backup",
    "apply revoke_on_destroy = true (revokeOnDestroy: true), which keeps the token",
  ])
    expect(textOf(gone)).toContain(part);
  clock.now = T0 + 25 * HOUR;
  expect(await destroy(state)).toEqual([]);
});

test("an import is refused with the reason", async () => {
  expect(brief([prepare().resource.notImported])).toEqual(["ERR_IMPORT_REFUSED"]);
});

test.each([
  [11, false],
  [12, true],
  [13, true],
])("a rotation that is due %i h after the end of the password says so: %p", async (hours, says) => {
  const { apply, identity } = prepare();
  // Due after twelve hours, by default.
  identity.onIssue = async () => ({ passwordEndsAt: new Date(T0 + (24 - hours) * HOUR) });
  const { diagnostics = [] } = await apply(null, ACCOUNT);
  expect(textOf(diagnostics)).toMatch(
    says ? /next rotation .* due after its password ends\nIt is due at 2026-01-02T15:04:05Z/ : /^$/,
  );
});
