import { getEventListeners } from "node:events";
import type { IssueRequest } from "../../lib/identity";
import { Secret } from "../../lib/tokens";
import { answer, issued, issuing, type Step, scripted } from "./support/scripted";
import {
  credentialAt,
  errorOf,
  expectNoCanary,
  HOUR,
  idle,
  PASSWORD_CANARY,
  project,
  requestAt,
  TOKEN_CANARY,
} from "./support/wanted";

const AT = "https://keystone.example";
const request = requestAt(AT);

describe("obtain", () => {
  test("asks once for a hundred references to one credential and scope", async () => {
    const { client, transport } = issuing();
    const all = await Promise.all(
      Array.from({ length: 100 }, () => client.obtain(request, idle())),
    );
    expect(new Set(all.map(({ token }) => token.reveal()))).toEqual(new Set(["t1"]));
    expect(transport.sent).toHaveLength(1);
  });

  test("never returns a remembered token for a state", async () => {
    const { client, transport } = issuing();
    const places = [undefined, "state", undefined, "state"] as const;
    const all = await Promise.all(
      places.map((storedIn) => client.obtain({ ...request, storedIn }, idle())),
    );
    const later = await client.obtain({ ...request, storedIn: "state" }, idle());
    const [inMemory, inState] = all.map(({ token }) => token.reveal());
    expect(inMemory).not.toBe(inState);
    expect(all.map(({ token }) => token.reveal())).toEqual([inMemory, inState, inMemory, inState]);
    expect(later.token.reveal()).toBe(inState);
    expect(transport.sent).toHaveLength(2);
  });

  test("refuses a new token that lives shorter than requested, with both numbers, and sends only one request", async () => {
    const { client, transport, clock } = issuing({ lifetimeMs: HOUR });
    const longRequest = { ...request, minRemainingMs: 2 * HOUR };
    for (let time = 0; time < 3; time++) {
      const error = await errorOf(client.obtain(longRequest, idle()));
      expect(error.code).toBe("ERR_LIFETIME_TOO_SHORT");
      expect(error.problem).toBe(
        `A new token of ${request.credential.authUrl.tokens} lives 1 h, but the required lifetime is 2 h.`,
      );
      expect(error.remedy).toMatch(
        /^Give a smaller min_remaining\. If a schedule gives it, .* lifetime: /,
      );
    }
    expect((await client.obtain(request, idle())).token.reveal()).toBe("t1");
    expect(transport.sent).toHaveLength(1);
    clock.now += 60_000;
    await errorOf(client.obtain(longRequest, idle()));
    // Of a time to come, as after a clock was set back.
    clock.now -= 1;
    await errorOf(client.obtain(longRequest, idle()));
    expect(transport.sent).toHaveLength(3);
    await client.issueOwn({ ...request, minRemainingMs: HOUR }, idle());
  });

  test("without memory sends a request at each opening, but shares one between those of the same moment", async () => {
    const { client } = issuing({ remember: false });
    const get = async () => (await client.obtain(request, idle())).token.reveal();
    expect(await Promise.all([get(), get()])).toEqual(["t1", "t1"]);
    expect([await get(), await get()]).toEqual(["t2", "t3"]);
  });

  test("judges each of those who share a request by its own wish", async () => {
    const { client } = issuing({ lifetimeMs: HOUR });
    const [one, two] = await Promise.allSettled([
      client.obtain({ ...request, minRemainingMs: 2 * HOUR }, idle()),
      client.obtain(request, idle()),
    ]);
    expect([one.status, two.status]).toEqual(["rejected", "fulfilled"]);
  });
});

describe("a 401", () => {
  test("is one request for a hundred references, and is remembered for 2 s", async () => {
    const { client, clock, transport } = scripted([
      answer(401, { "x-openstack-request-id": "req-3f0c5d5e-8b1a-4a5e-9c57-0d8f2f6f1a01" }),
      issued("t"),
    ]);
    const together = await Promise.all(
      Array.from({ length: 50 }, () => errorOf(client.obtain(request, idle()))),
    );
    clock.now += 1_000;
    const later = await Promise.all(
      Array.from({ length: 50 }, () => errorOf(client.obtain(request, idle()))),
    );
    expect(new Set([...together, ...later].map(({ code }) => code))).toEqual(
      new Set(["ERR_CREDENTIALS_REJECTED"]),
    );
    expect(later[0]?.message).toContain("1 s ago (remembered for 2 s)");
    expect(later[0]?.message).toContain("req-3f0c5d5e-8b1a-4a5e-9c57-0d8f2f6f1a01");
    expect(transport.sent).toHaveLength(1);
    clock.now += 1_000;
    expect((await client.obtain(request, idle())).token.reveal()).toBe("t");
  });
});

test("a second factor is an error of its own, remembered, without the receipt", async () => {
  // As a real Keystone answers to the right password of a user with rules for several factors.
  const headers = { "Openstack-Auth-Receipt": "gAAAAABrBJA-CANARY-receipt" };
  const body = { required_auth_methods: [["password", "totp"]] };
  const { client, transport } = scripted([answer(401, headers, body)]);
  for (const _again of [1, 2]) {
    const error = await errorOf(client.obtain(request, idle()));
    expect(error.code).toBe("ERR_SECOND_FACTOR_REQUIRED");
    expect(error.message).toContain("were right, but the service requires a second factor. ");
    expect(error.message).not.toContain("receipt");
  }
  expect(transport.sent).toHaveLength(1);
});

describe("a 401 of a credential that got a token earlier in the run", () => {
  const web: IssueRequest = { ...request, scope: project("web") };
  const LIKELY =
    "- Most likely: the scope or the permission is wrong, or something has changed since: the same credential got a token earlier in this run.";

  test("says so first, also when it is remembered", async () => {
    const { client } = scripted([issued("t"), answer(401)]);
    await client.obtain(request, idle());
    for (const start of ["The", "No request was sent: The"]) {
      const error = await errorOf(client.obtain(web, idle()));
      expect(error.problem.split("\n")[1]).toBe(LIKELY);
      expect(error.headline).toBe(
        `${start} service answered 401, although the same credential got a token earlier in this run.`,
      );
    }
  });

  test("does not say so of another password", async () => {
    const { client } = scripted([issued("t"), answer(401)]);
    await client.obtain(request, idle());
    const other = { ...web, credential: credentialAt(AT, { secret: Secret.of("other") }) };
    expect((await errorOf(client.obtain(other, idle()))).problem).not.toContain("Most likely");
  });
});

describe("a token of one's own", () => {
  test("is never shared, and never remembered", async () => {
    const { client, transport } = issuing();
    const own = await Promise.all(
      Array.from({ length: 5 }, () => client.issueOwn(request, idle())),
    );
    expect(new Set(own.map(({ token }) => token.reveal())).size).toBe(5);
    await client.obtain(request, idle());
    expect(transport.sent).toHaveLength(6);
  });

  test.each([
    [204, ""],
    [403, " The token could not be revoked, and lives until it expires."],
  ])("that lives too short is revoked (%d)", async (status, left) => {
    const { client, asked } = issuing({
      lifetimeMs: HOUR,
      instead: ({ method }) => (method === "DELETE" ? answer(status) : undefined),
    });
    const own = client.issueOwn({ ...request, minRemainingMs: 2 * HOUR }, idle());
    expect(await errorOf(own)).toMatchObject({
      code: "ERR_LIFETIME_TOO_SHORT",
      problem: expect.stringMatching(`the required lifetime is 2 h\\.${left}$`),
    });
    expect(asked()).toEqual(["account by undefined", "revoke t1"]);
  });

  const gzip = answer(201, { "X-Subject-Token": "t1" }, "\x1f\x8b");
  const ofProject = answer(201, { "X-Subject-Token": "t1" }, { token: { project: {} } });
  test.each([
    ["obtain", "state", "gzip", gzip, "ERR_ANSWER_UNEXPECTED", 1],
    ["issueOwn", "state", "gzip", gzip, "ERR_ANSWER_UNEXPECTED", 1],
    ["issueOwn", "memory", "gzip", gzip, undefined, 0],
    ["issueOwn", "memory", "a project", ofProject, "ERR_SCOPE_MISMATCH", 1],
    ["obtain", "memory", "a project", ofProject, "ERR_SCOPE_MISMATCH", 0],
    ["issueOwn", "memory", "no token", answer(201, {}, {}), "ERR_TOKEN_HEADER_INVALID", 0],
  ] as const)(
    "that is refused for its answer is revoked, and one for a state (%s, %s, %s)",
    async (way, place, _answer, instead, code, revocations) => {
      const storedIn = place === "state" ? place : undefined;
      const { client, asked } = issuing({
        instead: ({ method }) => (method === "DELETE" ? answer(204) : instead),
      });
      const work = client[way]({ ...request, storedIn }, idle());
      if (code === undefined) await work;
      else expect((await errorOf(work)).code).toBe(code);
      expect(asked().slice(1)).toEqual(Array(revocations).fill("revoke t1"));
    },
  );
});

describe("cancelling", () => {
  test("ends the wait for a turn", async () => {
    const { client, transport } = scripted([() => new Promise(() => {})]);
    const of = (id: string) => ({ ...request, credential: credentialAt(AT, { user: { id } }) });
    const busy = Array.from({ length: 8 }, (_, index) => client.obtain(of(`${index}`), idle()));
    await transport.hasSent(8);
    for (const work of [
      client.issueOwn(of("8"), AbortSignal.timeout(1)),
      client.revoke({ ...of("8").credential, token: Secret.of("t") }, AbortSignal.timeout(1)),
    ])
      expect((await errorOf(work)).code).toBe("ERR_CANCELLED");
    expect(transport.sent).toHaveLength(8);
    await client.close();
    await Promise.allSettled(busy);
  });

  test("close ends running requests, and begins none afterwards", async () => {
    const { client, transport } = scripted([() => new Promise(() => {})]);
    const other = credentialAt(AT, { user: { id: "other" } });
    const all = [
      client.obtain(request, idle()),
      client.issueOwn({ ...request, credential: other }, idle()),
    ];
    const codes = Promise.all(all.map(async (one) => (await errorOf(one)).code));
    await transport.hasSent(2);
    await client.close();
    expect(await codes).toEqual(["ERR_CANCELLED", "ERR_CANCELLED"]);
    expect((await errorOf(client.obtain(request, idle()))).code).toBe("ERR_CANCELLED");
    expect(transport.sent).toHaveLength(2);
  });
});

describe("revoke", () => {
  test("says whether Keystone knew the token", async () => {
    const gone = answer(401, {}, { error: { code: 401 } });
    const { client, transport } = scripted([issued(TOKEN_CANARY), answer(204), gone]);
    const { signal } = new AbortController();
    const token = await client.issueOwn(request, signal);
    expect(await client.revoke(token, signal)).toBe("revoked");
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(await client.revoke(token, idle())).toBe("refused");
    expect(transport.sent[1]?.request).toMatchObject({
      method: "DELETE",
      headers: { "x-subject-token": TOKEN_CANARY },
    });
  });

  test("drops the token from memory", async () => {
    const { client } = scripted([issued("t1"), issued("web"), answer(204), issued("t2")]);
    const web = { ...request, scope: project("web") };
    const token = await client.obtain(request, idle());
    await client.obtain(web, idle());
    await client.revoke(token, idle());
    expect((await client.obtain(request, idle())).token.reveal()).toBe("t2");
    expect((await client.obtain(web, idle())).token.reveal()).toBe("web");
  });
});

describe("validate", () => {
  test("forgets a token that the service refuses: nobody gets it any more", async () => {
    let status = 401;
    const { client } = issuing({
      instead: ({ method }) =>
        method === "HEAD" ? answer(status, { "www-authenticate": "Keystone" }) : undefined,
    });
    const { authUrl } = request.credential;
    const get = async () => (await client.obtain(request, idle())).token;
    const token = await get();
    expect(await client.validate({ authUrl, token }, idle())).toBe("refused");
    const next = await get();
    expect(next.reveal()).not.toBe(token.reveal());
    status = 503;
    await errorOf(client.validate({ authUrl, token: next }, idle()));
    expect((await get()).reveal()).toBe(next.reveal());
  });

  test("asks once, for at most five seconds, by the token itself", async () => {
    const { client, transport } = scripted([answer(200, { "x-subject-token": "t" }), answer(503)]);
    const { authUrl } = request.credential;
    const asked = { authUrl, token: Secret.of("t") };
    expect(await client.validate(asked, idle())).toBe("alive");
    expect((await errorOf(() => client.validate(asked, idle()))).code).toBe("ERR_SERVICE_FAILED");
    expect(transport.sent).toHaveLength(2);
    expect(transport.sent[0]).toMatchObject({
      request: { method: "HEAD", url: authUrl.tokens, headers: { "x-auth-token": "t" } },
      options: { timeoutMs: 5_000 },
    });
  });
});

describe("bounds and secrets", () => {
  test("waiting for a turn does not use up the time in all", async () => {
    const step: Step = () => {
      clock.now += 20_000;
      return issued("t", { receivedAt: clock.now });
    };
    const { client, clock, transport } = scripted([step], {
      limits: { connections: 1 },
    });
    const all = ["a", "b", "c", "d"].map((name) =>
      client.obtain({ ...request, scope: project(name) }, idle()),
    );
    expect(await Promise.all(all)).toHaveLength(4);
    expect(transport.sent.map(({ options }) => options.timeoutMs)).toEqual([
      10_000, 10_000, 10_000, 10_000,
    ]);
  });

  test("neither the client nor a token shows a secret when it is printed", async () => {
    const { client } = scripted([issued(TOKEN_CANARY)]);
    const token = await client.obtain(request, idle());
    expectNoCanary(client);
    expectNoCanary(token);
    expectNoCanary(request, [PASSWORD_CANARY]);
  });
});
