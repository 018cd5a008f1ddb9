import { EmbeddedIdentityService } from "../../lib/testing";
import {
  ACCOUNTS,
  askAbout,
  authBody,
  issue,
  PASSWORD,
  post,
  projectScope,
} from "./identity-client-of-a-test";

const HOUR = 3_600_000;

let now = Date.parse("2030-01-01T12:00:00.750Z");
let identity: EmbeddedIdentityService;

beforeAll(async () => {
  identity = await EmbeddedIdentityService.start(ACCOUNTS, { now: () => now });
});
afterAll(() => identity.stop());
beforeEach(() => identity.clearJournal());

// What Keystone does as well is in test/keystone/conformance.

test("a path that is a member of every object is 404", async () => {
  const answer = await fetch(`${identity.authUrl}/identity/__proto__`);
  await answer.arrayBuffer();
  expect(answer.status).toBe(404);
});

describe("validation and revocation", () => {
  test("a revoked token is invalid, and the journal says that it was revoked", async () => {
    const [token, other] = [await issue(identity), await issue(identity)];
    await askAbout(identity, "DELETE", token, token);
    expect(identity.isValid(token)).toBe(false);
    expect(identity.isValid(other)).toBe(true);
    await askAbout(identity, "DELETE", token, token);
    await askAbout(identity, "HEAD", token, token);
    await askAbout(identity, "GET", other, token);
    expect(identity.journal.map(({ method, status, reason }) => [method, status, reason])).toEqual([
      ["POST", 201, null],
      ["POST", 201, null],
      ["DELETE", 204, null],
      ["DELETE", 401, "token_revoked"],
      ["HEAD", 401, "token_revoked"],
      ["GET", 404, "token_revoked"],
    ]);
  });

  test("a token expires with the clock, after 24 hours by default", async () => {
    const token = await issue(identity, { scope: projectScope("web") });
    const issuedAt = Math.floor(now / 1000) * 1000;
    expect(identity.describeToken(token)).toEqual({
      status: "valid",
      kind: "iam_token_project_scoped",
      user: "deployer",
      accountId: "123456",
      project: "web",
      issuedAt: new Date(issuedAt),
      expiresAt: new Date(issuedAt + 24 * HOUR),
      fingerprint: identity.journal[0]?.fingerprint,
    });
    now = issuedAt + 24 * HOUR - 1;
    expect(identity.isValid(token)).toBe(true);
    now += 1;
    expect(identity.isValid(token)).toBe(false);
    expect(identity.describeToken(token)).toMatchObject({ status: "expired" });
    expect((await askAbout(identity, "GET", token, token)).status).toBe(401);
  });

  test("an invented token is unknown", () => {
    expect(identity.describeToken("gAAAA")).toEqual({ status: "unknown" });
    expect(identity.isValid("")).toBe(false);
  });
});

describe("the journal", () => {
  test("has the request and the token's fingerprint", async () => {
    await issue(identity, { scope: projectScope("web") });
    expect(identity.journal).toEqual([
      {
        at: new Date(now).toISOString(),
        method: "POST",
        path: "/identity/v3/auth/tokens",
        status: 201,
        requestId: expect.stringMatching(/^req-/),
        user: "deployer",
        account: "123456",
        scope: { kind: "project", project: "web", account: "123456" },
        fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/),
        reason: null,
      },
    ]);
  });

  test("holds no password and no token, wherever a client puts them", async () => {
    const token = await issue(identity);
    await post(
      identity,
      JSON.stringify(
        authBody({ user: PASSWORD, account: PASSWORD, scope: projectScope(PASSWORD, token) }),
      ),
    );
    await fetch(`${identity.keystoneUrl}/${token}?token=${token}`);
    await fetch(
      `${identity.keystoneUrl}/${[...Buffer.from(PASSWORD)].map((byte) => `%${byte.toString(16)}`).join("")}`,
    );
    await askAbout(identity, "GET", token, token);
    expect(identity.journal).toHaveLength(5);
    expect(JSON.stringify(identity.journal)).not.toContain(PASSWORD);
    expect(JSON.stringify(identity.journal)).not.toContain(token.slice(0, 20));
    expect(identity.journal[1]).toMatchObject({ user: "(sensitive)", account: "(sensitive)" });
    expect(identity.journal.slice(2, 4).map(({ path }) => path)).toEqual([
      "(sensitive)",
      "(sensitive)",
    ]);
  });

  test("is a copy: it does not change for its reader", async () => {
    const before = identity.journal;
    await issue(identity);
    expect([before.length, identity.journal.length]).toEqual([0, 1]);
  });
});

describe("starting and stopping", () => {
  const minimal = { accountId: "123456", serviceUsers: [] };

  test("the Date header goes by the clock, which is how a client sees the service's time", async () => {
    const answer = await post(identity, "");
    expect(answer.headers.get("date")).toBe(new Date(now).toUTCString());
  });

  test("latency goes through the injected wait", async () => {
    const waits: number[] = [];
    const slow = await EmbeddedIdentityService.start(
      { ...minimal, latencyMs: 250 },
      {
        wait: async (milliseconds) => {
          waits.push(milliseconds);
        },
      },
    );
    await post(slow, "");
    await slow.stop();
    expect(waits).toEqual([250]);
  });

  test("stopping ends waiting requests, and can be repeated", async () => {
    let ended = false;
    let reached = () => {};
    const waiting = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const slow = await EmbeddedIdentityService.start(
      { ...minimal, latencyMs: 600_000 },
      {
        wait: (_milliseconds, signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => {
              ended = true;
              reject(signal.reason);
            });
            reached();
          }),
      },
    );
    const refused = expect(post(slow, "")).rejects.toThrow("fetch failed");
    await waiting;
    await slow.stop();
    await slow.stop();
    await refused;
    expect(ended).toBe(true);
    await expect(fetch(slow.authUrl)).rejects.toThrow("fetch failed");
  });

  test("a port that is taken is reported", async () => {
    await expect(
      EmbeddedIdentityService.start({ ...minimal, port: identity.port }),
    ).rejects.toMatchObject({
      code: "ERR_LISTEN_FAILED",
      problem: `Port ${identity.port} of 127.0.0.1 is in use.`,
    });
  });

  test("lifetime is configurable", async () => {
    const short = await EmbeddedIdentityService.start(
      {
        accountId: "1",
        serviceUsers: [{ name: "deployer", password: PASSWORD, permission: { account: true } }],
        tokenLifetimeSeconds: 60,
      },
      { now: () => 1_000_999 },
    );
    const token = await issue(short, { account: "1", scope: { domain: { name: "1" } } });
    await short[Symbol.asyncDispose]();
    expect(short.describeToken(token)).toMatchObject({
      issuedAt: new Date(1_000_000),
      expiresAt: new Date(1_060_000),
    });
  });
});
