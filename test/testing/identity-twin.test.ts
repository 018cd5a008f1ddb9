import { inspect } from "node:util";
import { EmbeddedIdentityService, InProcessIdentityService } from "../../lib/testing";
import { authBody, PASSWORD } from "./identity-client-of-a-test";

const HOUR = 3_600_000;
const config = {
  accountId: "123456",
  serviceUsers: [
    { name: "deployer", password: PASSWORD, permission: { account: true, projects: ["web"] } },
    { name: "guarded", password: PASSWORD, permission: { account: true }, neverLocked: true },
    {
      name: "expiring",
      password: PASSWORD,
      permission: { account: true },
      passwordExpiresAt: "2030-01-01T13:00:00+00:00",
    },
  ],
  accounts: [
    {
      accountId: "654321",
      serviceUsers: [
        { name: "deployer", password: "canary-elsewhere", permission: { account: true } },
      ],
    },
  ],
  lockout: { failures: 2, seconds: 60 },
};

let now = 0;
let identity: InProcessIdentityService;
beforeEach(() => {
  now = Date.parse("2030-01-01T12:00:00.500Z");
  identity = InProcessIdentityService.create(config, { now: () => now });
});

async function login(
  user: string,
  password = PASSWORD,
  scope: unknown = { domain: { name: "123456" } },
) {
  const body = JSON.stringify(authBody({ user, password, scope }));
  const answer = await identity.handle({ method: "POST", url: "/identity/v3/auth/tokens", body });
  return { ...answer, token: answer.headers["x-subject-token"] ?? "" };
}
const statusOf = async (...asked: Parameters<typeof login>) => (await login(...asked)).status;
const lastReason = () => identity.journal.at(-1)?.reason;

describe("handle", () => {
  test("takes a path or an address, header names in any case, and a body as text or bytes", async () => {
    for (const url of ["/identity/v3", `${identity.keystoneUrl}/`]) {
      const { status, statusText, headers, body } = await identity.handle({ url });
      expect([status, statusText, headers["content-type"]]).toEqual([
        200,
        "OK",
        "application/json",
      ]);
      expect(body).toContain('"https://identity.invalid/identity/v3/"');
    }
    const url = "/identity/v3/auth/tokens";
    const body = Buffer.from(JSON.stringify(authBody()));
    const { status } = await identity.handle({
      method: "POST",
      url,
      body,
      headers: { "CONTENT-TYPE": "text/plain" },
    });
    expect(status).toBe(400);
  });

  test("links are made from the Host header, as over a socket", async () => {
    const { headers } = await identity.handle({
      url: "/identity",
      headers: { Host: "elsewhere.example" },
    });
    expect(headers.location).toBe("https://elsewhere.example/identity/v3/");
  });

  test("waits for the latency, and writes into the journal", async () => {
    const waits: number[] = [];
    const slow = InProcessIdentityService.create(
      { ...config, latencyMs: 250 },
      {
        now: () => now,
        wait: async (milliseconds) => {
          waits.push(milliseconds);
        },
      },
    );
    await slow.handle({ url: "/identity/v3" });
    expect(waits).toEqual([250]);
    expect(slow.journal).toMatchObject([
      { method: "GET", path: "/identity/v3", status: 200, at: "2030-01-01T12:00:00.500Z" },
    ]);
  });

  test("answers without the socket, for the same tokens", async () => {
    const listening = await EmbeddedIdentityService.start(config, { now: () => now });
    try {
      const { headers } = await listening.handle({
        method: "POST",
        url: "/identity/v3/auth/tokens",
        body: JSON.stringify(authBody()),
      });
      const token = headers["x-subject-token"] ?? "";
      const answer = await fetch(`${listening.keystoneUrl}/auth/tokens`, {
        headers: { "X-Auth-Token": token, "X-Subject-Token": token },
      });
      await answer.arrayBuffer();
      expect(answer.status).toBe(200);
    } finally {
      await listening.stop();
    }
  });

  test("refuses settings that need a socket", () => {
    for (const more of [
      { port: 0 },
      { host: "127.0.0.1" },
      { tls: "throw-away" },
      { faults: [] },
    ]) {
      expect(() => InProcessIdentityService.create({ ...config, ...more })).toThrow(
        "Unrecognized key",
      );
    }
  });
});

describe("a user, while the service runs", () => {
  test("a changed password ends all earlier tokens, including those of the same second", async () => {
    const { token } = await login("deployer");
    identity.user("deployer").changePassword("canary-new-password");
    expect([identity.isValid(token), identity.describeToken(token).status]).toEqual([
      false,
      "revoked",
    ]);
    expect(await statusOf("deployer")).toBe(401);
    const same = await login("deployer", "canary-new-password");
    expect([same.status, identity.isValid(same.token)]).toEqual([201, false]);
    now += 500;
    const later = await login("deployer", "canary-new-password");
    expect(identity.isValid(later.token)).toBe(true);
  });

  test("neither the first nor a later password is in the journal or printed", async () => {
    identity.user("deployer").changePassword("canary-new-password");
    for (const name of [PASSWORD, "canary-new-password"]) await login(name);
    expect(JSON.stringify(identity.journal)).not.toContain("canary");
    expect(
      inspect([identity, identity.user("deployer")], { depth: 10, showHidden: true }),
    ).not.toContain("canary");
  });

  test("disabled: refused, tokens invalid for good", async () => {
    const { token } = await login("deployer");
    identity.user("deployer").disable();
    expect([await statusOf("deployer"), lastReason(), identity.isValid(token)]).toEqual([
      401,
      "user_disabled",
      false,
    ]);
    identity.user("deployer").enable();
    now += 1000;
    expect([await statusOf("deployer"), identity.isValid(token)]).toEqual([201, false]);
  });

  test("locked only by wrong passwords in a row, for a time", async () => {
    const user = identity.user("deployer");
    await login("deployer", "wrong");
    await login("deployer");
    await login("deployer", "wrong");
    expect(user.isLocked).toBe(false);
    await login("deployer", "wrong");
    expect([user.isLocked, await statusOf("deployer"), lastReason()]).toEqual([
      true,
      401,
      "user_locked",
    ]);
    now += 59_999;
    expect(user.isLocked).toBe(true);
    now += 1;
    expect([user.isLocked, await statusOf("deployer")]).toEqual([false, 201]);
    for (let time = 0; time < 5; time += 1) await login("guarded", "wrong");
    expect([identity.user("guarded").isLocked, await statusOf("guarded")]).toEqual([false, 201]);
  });

  test("a lock without an end ends by being unlocked", async () => {
    identity = InProcessIdentityService.create(
      { ...config, lockout: { failures: 1, seconds: 0 } },
      { now: () => now },
    );
    await login("deployer", "wrong");
    now += 10_000 * HOUR;
    expect(await statusOf("deployer")).toBe(401);
    identity.user("deployer").unlock();
    expect(await statusOf("deployer")).toBe(201);
  });

  test("an expired password is reported as expired, and its tokens stay valid", async () => {
    const { token } = await login("expiring");
    now += HOUR - 501;
    expect(await statusOf("expiring")).toBe(201);
    now += 1;
    const { status, body } = await login("expiring");
    expect([status, lastReason(), identity.isValid(token)]).toEqual([
      401,
      "password_expired",
      true,
    ]);
    expect(body).toContain(`needs to be changed for user: ${identity.user("expiring").id}.`);
    identity.user("expiring").changePassword("canary-new-password");
    expect(await statusOf("expiring", "canary-new-password")).toBe(201);
    identity.user("deployer").expirePassword();
    expect(await statusOf("deployer")).toBe(401);
  });

  test("is found in the first account, or in the one that is named", () => {
    expect(identity.user("deployer").id).not.toBe(identity.user("deployer", "654321").id);
    expect(identity.user("deployer").name).toBe("deployer");
    for (const [name, account] of [
      ["nobody", undefined],
      ["expiring", "654321"],
      ["deployer", "1"],
    ] as const) {
      expect(() => identity.user(name, account)).toThrow(
        expect.objectContaining({ code: "ERR_TESTING_CONFIG_INVALID" }),
      );
    }
  });
});

describe("a token from a token", () => {
  test("lives no longer than the first, and names both in the journal's user and scope", async () => {
    const { token } = await login("expiring", PASSWORD, "unscoped");
    now += HOUR / 2;
    const scope = { project: { name: "web", domain: { name: "123456" } } };
    const auth = { identity: { methods: ["token"], token: { id: token } }, scope };
    const answer = await identity.handle({
      method: "POST",
      url: "/identity/v3/auth/tokens",
      body: JSON.stringify({ auth }),
    });
    expect(identity.describeToken(answer.headers["x-subject-token"] ?? "")).toMatchObject({
      kind: "iam_token_project_scoped",
      project: "web",
      expiresAt: new Date("2030-01-02T12:00:00Z"),
    });
    expect(identity.journal.at(-1)).toMatchObject({
      user: "expiring",
      account: "123456",
      status: 201,
    });
  });
});
