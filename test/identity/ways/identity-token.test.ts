import type { IssueRequest, Scope } from "../../../lib/identity";
import type { FederatedCredential } from "../../../lib/identity/credential";
import type { WireRequest } from "../../../lib/identity/transport/transport";
import { noUsage } from "../../../lib/identity/usage";
import { IamTokensError, Secret } from "../../../lib/tokens";
import { answer, issuing, wordsOf } from "../support/scripted";
import { ACCOUNT, errorOf, HOUR, idle, project, until } from "../support/wanted";
import { federated, jwt, refusedByKeystone } from "./wishes";

const wish = (
  over: Partial<IssueRequest> = {},
  credential: Partial<FederatedCredential> = {},
): IssueRequest => ({ credential: federated(credential), scope: ACCOUNT, ...over });
const WEB = project("web");
const SCOPES = [ACCOUNT, WEB, project("shop")];

const many = <Value>(count: number, make: (index: number) => Promise<Value>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));
const signInsOf = (asked: readonly string[]) => asked.filter((line) => line === "sign in").length;

/** Keystone answers a request, in words, with a status. */
const refusing = (words: string, status: number) => (request: WireRequest) =>
  wordsOf(request) === words ? refusedByKeystone(status) : undefined;

describe("one sign-in serves all scopes", () => {
  test("many references to three scopes are four requests and one reading", async () => {
    const usage = noUsage();
    const { client, transport, asked } = issuing({ usage });
    const readToken = jest.fn(async () => jwt());
    await many(9, (index) =>
      client.obtain(wish({ scope: SCOPES[index % 3] ?? ACCOUNT }, { readToken }), idle()),
    );
    expect(asked()).toEqual(["sign in", "account by t1", "web by t1", "shop by t1"]);
    expect(transport.sent[0]?.request).toEqual({
      method: "POST",
      url: "https://keystone.example/identity/v3/OS-FEDERATION/identity_providers/ci%2F1/protocols/openid/auth",
      headers: {
        authorization: `Bearer ${jwt().reveal()}`,
        accept: "application/json",
        "accept-encoding": "identity",
      },
      secret: expect.any(Secret),
      bodyOf: [201, 400, 401, 403, 404],
    });
    expect(readToken).toHaveBeenCalledTimes(1);
    expect(usage).toMatchObject({ requests: 4, tokens: 3, uses: 9 });
  });

  test("is not for another place, protocol or provider, nor with other files for TLS", async () => {
    const { client, transport, asked } = issuing();
    const tls = { ca: "CA" };
    await client.obtain(wish({ tls }), idle());
    expect(transport.sent.map(({ options }) => options.tls)).toEqual([tls, tls]);
    for (const over of [
      {},
      { place: "file /run/other" },
      { place: jwt() },
      { place: jwt({ sub: "other" }) },
      { protocol: "saml2" },
      { identityProvider: "other" },
    ])
      await client.obtain(wish({}, over), idle());
    expect(signInsOf(asked())).toBe(7);
  });

  test("is renewed when a token of it would not live as long as it must", async () => {
    const { client, clock, asked } = issuing();
    const first = await client.obtain(wish(), idle());
    clock.now += 10 * HOUR;
    const late = await client.obtain(wish({ scope: WEB }), idle());
    expect(late.remainingMs).toBe(14 * HOUR);
    const long = await client.obtain(wish({ scope: WEB, minRemainingMs: 20 * HOUR }), idle());
    expect(long.remainingMs).toBe(24 * HOUR);
    expect(first.expiresAt).toEqual(late.expiresAt);
    expect(signInsOf(asked())).toBe(2);
  });

  test.each([
    { ago: 59_999, lifetimeMs: HOUR, signIns: 1, what: "a minute old" },
    { ago: 60_000, lifetimeMs: HOUR, signIns: 2, what: "older" },
    { ago: -1, lifetimeMs: HOUR, signIns: 2, what: "of a time to come" },
    { ago: 30_000, lifetimeMs: 30_000, signIns: 2, what: "at its end" },
  ])("that is too short and $what is followed by another, or not: $signIns", async (row) => {
    const { client, clock, asked } = issuing(row);
    const long = { minRemainingMs: 2 * HOUR };
    await errorOf(client.obtain(wish(long), idle()));
    clock.now += row.ago;
    await errorOf(client.obtain(wish({ ...long, scope: WEB }), idle()));
    expect(signInsOf(asked())).toBe(row.signIns);
  });

  test("serves until its end where another one fails", async () => {
    const { client, clock, asked } = issuing({ lifetimeMs: HOUR });
    const tokens = [jwt()];
    const readToken = async () => {
      const [token] = tokens.splice(0);
      if (token === undefined) throw new IamTokensError("ERR_SECRET_MISSING", "The job is over.");
      return token;
    };
    const get = (scope: Scope, over: Partial<IssueRequest> = {}) =>
      client.obtain(wish({ scope, ...over }, { readToken }), idle());
    await get(ACCOUNT);
    clock.now += HOUR - 60_000;
    // Below half of its life, another one is wanted.
    expect(await get(WEB)).toMatchObject({ remainingMs: 60_000 });
    const long = get(project("shop"), { minRemainingMs: 60_001 });
    expect((await errorOf(long)).code).toBe("ERR_SECRET_MISSING");
    clock.now += 60_000;
    expect((await errorOf(get(project("shop")))).code).toBe("ERR_SECRET_MISSING");
    expect(asked()).toEqual(["sign in", "account by t1", "web by t1"]);
  });

  test("that the service has forgotten is made anew, once", async () => {
    // Also for whoever hears of it when another is there.
    const hear = (words: string) => until(() => words < "p2" || asked().includes("p0 by t3"));
    const { client, asked } = issuing({
      instead: (request) =>
        /^p. by t1$/.test(wordsOf(request))
          ? hear(wordsOf(request)).then(() => refusedByKeystone(404))
          : undefined,
    });
    await client.obtain(wish(), idle());
    await many(9, (index) => client.obtain(wish({ scope: project(`p${index % 3}`) }), idle()));
    expect(signInsOf(asked())).toBe(2);
  });

  test("that a service never knows is an error after two sign-ins", async () => {
    const { client, asked } = issuing({
      instead: (request) => (wordsOf(request) === "sign in" ? undefined : refusedByKeystone(404)),
    });
    for (const way of ["obtain", "issueOwn"] as const) {
      const { code, message } = await errorOf(client[way](wish(), idle()));
      expect(code).toBe("ERR_ANSWER_UNEXPECTED");
      expect(message).toContain(
        "answered 404 to the unscoped token that it had just issued. All servers of the identity service need the same Fernet keys",
      );
    }
    const twice = ["sign in", "account by t1", "sign in", "account by t2"];
    expect(asked()).toEqual([...twice, "sign in", "account by t3", "revoke t3"]);
  });
});

describe("tokens that are one caller's alone", () => {
  const isRevoking = ({ method }: WireRequest) => method === "DELETE";
  const instead = (request: WireRequest) => (isRevoking(request) ? answer(204) : undefined);

  test("have a sign-in each, whose unscoped token is revoked at once", async () => {
    const { client, transport, asked } = issuing({ instead });
    const tls = { ca: "CA" };
    await client.obtain(wish({ tls }), idle());
    await client.issueOwn(wish({ tls, scope: WEB }), idle());
    const { warnings } = await client.issueOwn(wish({ tls, scope: WEB }), idle());
    expect(warnings).toEqual([]);
    expect(asked().slice(2)).toEqual([
      "sign in",
      "web by t3",
      "revoke t3",
      "sign in",
      "web by t5",
      "revoke t5",
    ]);
    for (const { options } of transport.sent) expect(options.tls).toBe(tls);
  });

  test("leave no sign-in behind if they are refused, once for all of them", async () => {
    const { client, asked } = issuing({
      instead: (request) => instead(request) ?? refusing("web by t1", 401)(request),
    });
    await many(20, async () => {
      const own = client.issueOwn(wish({ scope: WEB }), idle());
      expect((await errorOf(own)).code).toBe("ERR_CREDENTIALS_REJECTED");
    });
    await until(() => asked().length > 2);
    expect(asked()).toEqual(["sign in", "web by t1", "revoke t1"]);
  });

  test("that live too short end after their sign-in, before their caller may close the client", async () => {
    const { client, asked } = issuing({ instead, lifetimeMs: HOUR });
    const own = client.issueOwn(wish({ minRemainingMs: 2 * HOUR }), idle());
    expect((await errorOf(own)).code).toBe("ERR_LIFETIME_TOO_SHORT");
    expect(asked()).toEqual(["sign in", "account by t1", "revoke t1", "revoke t2"]);
  });

  test.each([
    ["account by t1", ["sign in", "account by t1", "revoke t2", "revoke t1"]],
    ["sign in", ["sign in", "revoke t1"]],
  ])("are revoked if the client is closed during %s, and so is that", async (words, ended) => {
    const { client, asked } = issuing({
      instead: (request) => {
        if (wordsOf(request) === words) void client.close();
        return instead(request);
      },
    });
    await expect(client.issueOwn(wish(), idle())).rejects.toThrow("ERR_CANCELLED");
    await client.close();
    await expect(
      client.revoke({ authUrl: federated().authUrl, token: jwt() }, idle()),
    ).rejects.toThrow("ERR_CANCELLED");
    expect(asked()).toEqual(ended);
  });

  test("of a state share the sign-in with all others, and never end it", async () => {
    const { client, asked } = issuing({ instead });
    const stored = await client.issueOwn(wish({ storedIn: "state" }), idle());
    await client.obtain(wish({ scope: WEB }), idle());
    await client.revoke(stored, idle());
    expect(asked()).toEqual(["sign in", "account by t1", "web by t1", "revoke t2"]);
  });

  test("are handed out with a warning if the unscoped token cannot be revoked", async () => {
    const { client } = issuing({ instead: refusing("revoke t1", 403) });
    const { warnings } = await client.issueOwn(wish(), idle());
    expect(warnings).toEqual([
      "The unscoped token of the sign-in could not be revoked, and lives until 2026-11-21T12:00:00.000Z.",
    ]);
  });
});

describe("a refused identity token", () => {
  /** As a web server refuses it. */
  const refusingToken = (end: string) => (request: WireRequest) =>
    request.headers.authorization?.endsWith(end) ? answer(401, {}, "<html>\u001b[31m") : undefined;

  test("is one request for all references and scopes, shared or not", async () => {
    const { client, asked } = issuing({ instead: refusingToken("sig") });
    for (const way of ["obtain", "issueOwn", "obtain"] as const)
      await many(3, async (index) => {
        const request = wish({ scope: SCOPES[index] ?? ACCOUNT });
        const { code, message } = await errorOf(client[way](request, idle()));
        expect(code).toBe("ERR_CREDENTIALS_REJECTED");
        expect(message).not.toMatch(/CANARY|[^\P{Cc}\n]/u);
      });
    expect(asked()).toEqual(["sign in"]);
  });

  test("is not remembered for the one that the file has next", async () => {
    const tokens = [jwt({}, "CANARYold"), jwt({}, "CANARYnew")];
    const { client } = issuing({ instead: refusingToken("old") });
    const request = wish({}, { readToken: async () => tokens.shift() ?? Secret.of("") });
    await errorOf(client.obtain(request, idle()));
    await client.obtain(request, idle());
  });

  test("for one scope is one request, and the other scopes get their tokens", async () => {
    const { client, asked } = issuing({ instead: refusing("web by t1", 401) });
    await client.obtain(wish(), idle());
    const errors = await many(3, () => errorOf(client.obtain(wish({ scope: WEB }), idle())));
    await client.obtain(wish({ scope: project("shop") }), idle());
    expect(asked()).toEqual(["sign in", "account by t1", "web by t1", "shop by t1"]);
    // Another scope's token says nothing of this one's: federation has roles by group.
    expect(errors[0]?.problem).not.toContain("Most likely");
  });

  test("that is no JWT is an error before a request", async () => {
    const { client, asked } = issuing();
    const request = wish({}, { readToken: async () => Secret.of("CANARY.CANARY") });
    const error = await errorOf(client.obtain(request, idle()));
    expect(error.code).toBe("ERR_IDENTITY_TOKEN_INVALID");
    expect(error.message).toContain("oidc_token_file of the provider block");
    expect(error.message).not.toContain("CANARY");
    expect(asked()).toEqual([]);
  });
});

test("a cancelled reference leaves the sign-in to the others, the last one ends its reading", async () => {
  const { client, asked } = issuing();
  const ended: string[] = [];
  const readToken = (signal: AbortSignal) =>
    new Promise<Secret>((_, reject) => {
      signal.addEventListener("abort", () => {
        ended.push("ended");
        reject(new Error("ended"));
      });
    });
  const [first, second] = [new AbortController(), new AbortController()];
  const results = [first, second].map(({ signal }, index) =>
    errorOf(client.obtain(wish({ scope: project(`p${index}`) }, { readToken }), signal)),
  );
  await new Promise((resolve) => setImmediate(resolve));
  first.abort();
  expect((await results[0])?.code).toBe("ERR_CANCELLED");
  expect(ended).toEqual([]);
  second.abort();
  expect((await results[1])?.code).toBe("ERR_CANCELLED");
  await new Promise((resolve) => setImmediate(resolve));
  expect(ended).toEqual(["ended"]);
  expect(asked()).toEqual([]);
});
