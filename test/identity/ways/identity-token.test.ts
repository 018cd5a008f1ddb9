import { IdentityClient, type IssueRequest, type Scope, UsageJournal } from "../../../lib/identity";
import { Secret } from "../../../lib/tokens";
import { issued, ScriptedTransport } from "../support/scripted-transport";
import { ACCOUNT, errorOf, HOUR, idle, NOW, project, until } from "../support/wanted";
import { type FederatedService, jwt, many, withService } from "./federated-service";

const SIGN_IN = "sign in identity_providers/ci%2F1/protocols/openid/auth";
const SCOPES: readonly Scope[] = [ACCOUNT, project("web"), project("shop")];

const wish = (service: FederatedService, over: Partial<IssueRequest> = {}): IssueRequest => ({
  credential: service.credential(),
  scope: ACCOUNT,
  ...over,
});

describe("one sign-in serves all scopes", () => {
  test("many references to three scopes are four requests and one reading", async () => {
    const journal = new UsageJournal();
    const use = async (service: FederatedService, client: IdentityClient) => {
      const readToken = jest.fn(async () => jwt());
      const credential = service.credential({ readToken });
      await many(9, (index) => {
        const scope = SCOPES[index % 3] ?? ACCOUNT;
        return client.obtain({ credential, scope }, idle());
      });
      expect(service.asked).toEqual([
        SIGN_IN,
        "scope account by unscoped-1",
        "scope web by unscoped-1",
        "scope shop by unscoped-1",
      ]);
      expect(readToken).toHaveBeenCalledTimes(1);
      const { total, credentials } = journal.read(service.clock);
      expect(total).toMatchObject({ requests: 4, tokens: 3, uses: 9 });
      expect(credentials[0]).toMatchObject({ way: "identity token", identityProvider: "ci/1" });
    };
    await withService(use, { journal });
  });

  test("is not for another place, protocol, provider or account", async () => {
    await withService(async (service, client) => {
      for (const over of [
        {},
        { place: "file /run/other" },
        { place: jwt() },
        { place: jwt({ sub: "other" }) },
        { protocol: "saml2" },
        { identityProvider: "other" },
        { accountId: "654321" },
      ])
        await client.obtain(wish(service, { credential: service.credential(over) }), idle());
      expect(service.asked.filter((line) => line.startsWith("sign in"))).toHaveLength(7);
    });
  });

  test("is renewed when a token of it would not live as long as it must", async () => {
    await withService(async (service, client) => {
      const first = await client.obtain(wish(service), idle());
      service.clock += 10 * HOUR;
      const late = await client.obtain(wish(service, { scope: project("web") }), idle());
      expect(late.remainingMs).toBe(14 * HOUR);
      const long = await client.obtain(
        wish(service, { scope: project("web"), minRemainingMs: 20 * HOUR }),
        idle(),
      );
      expect(long.remainingMs).toBe(24 * HOUR);
      expect(first.expiresAt).toEqual(late.expiresAt);
      expect(service.asked.filter((line) => line === SIGN_IN)).toHaveLength(2);
    });
  });

  test.each([
    { ago: 59_999, lifetimeMs: HOUR, signIns: 1, what: "a minute old" },
    { ago: 60_000, lifetimeMs: HOUR, signIns: 2, what: "older" },
    { ago: -1, lifetimeMs: HOUR, signIns: 2, what: "of a time to come" },
    { ago: 30_000, lifetimeMs: 30_000, signIns: 2, what: "at its end" },
  ])("that is too short and $what is followed by another, or not: $signIns", async (row) => {
    await withService(async (service, client) => {
      service.lifetimeMs = row.lifetimeMs;
      const long = () => wish(service, { scope: project("web"), minRemainingMs: 2 * HOUR });
      await errorOf(client.obtain({ ...long(), scope: ACCOUNT }, idle()));
      service.clock += row.ago;
      await errorOf(client.obtain(long(), idle()));
      expect(service.asked.filter((line) => line === SIGN_IN)).toHaveLength(row.signIns);
    });
  });

  test("that the service has forgotten is made anew, once", async () => {
    await withService(async (service, client) => {
      await client.obtain(wish(service), idle());
      service.live.clear();
      await many(9, (index) =>
        client.obtain(wish(service, { scope: project(`p${index % 3}`) }), idle()),
      );
      expect(service.asked.filter((line) => line === SIGN_IN)).toHaveLength(2);
    });
  });

  test("that a service never knows is an error after two sign-ins", async () => {
    await withService(async (service, client) => {
      service.lifetimeMs = 24 * HOUR;
      const add = service.live.add.bind(service.live);
      service.live.add = (id) => (id.startsWith("unscoped") ? service.live : add(id));
      const error = await errorOf(client.obtain(wish(service), idle()));
      expect(error.code).toBe("ERR_ANSWER_UNEXPECTED");
      expect(error.problem).toContain(
        "answered 404 to the unscoped token that it had just issued.",
      );
      expect(service.asked).toHaveLength(4);
    });
  });
});

describe("tokens that are one caller's alone", () => {
  test("have a sign-in each, whose unscoped token is revoked at once", async () => {
    await withService(async (service, client) => {
      await client.obtain(wish(service), idle());
      const own = await many(3, (index) =>
        client.issueOwn(wish(service, { scope: project(`p${index}`) }), idle()),
      );
      expect(service.asked.filter((line) => line === SIGN_IN)).toHaveLength(4);
      // The shared sign-in is as it was, and so are the tokens.
      expect(service.asked.filter((line) => line.startsWith("revoke unscoped"))).toHaveLength(3);
      expect(service.live).toContain("unscoped-1");
      for (const { token } of own) expect(service.live).toContain(token.reveal());
      const before = service.asked.length;
      for (const { authUrl, token } of own) await client.revoke({ authUrl, token }, idle());
      expect(service.asked).toHaveLength(before + 3);
    });
  });

  test("leave no sign-in behind if they are refused, once for all of them", async () => {
    await withService(async (service, client) => {
      service.forbidden.add("web");
      await many(20, async () => {
        const own = client.issueOwn(wish(service, { scope: project("web") }), idle());
        expect((await errorOf(own)).code).toBe("ERR_CREDENTIALS_REJECTED");
      });
      await until(() => service.live.size === 0);
      expect(service.asked).toEqual([SIGN_IN, "scope web by unscoped-1", "revoke unscoped-1"]);
    });
  });

  test("of a state share the sign-in with all others, and never end it", async () => {
    await withService(async (service, client) => {
      const stored = await client.issueOwn(wish(service, { keptIn: "state" }), idle());
      await client.obtain(wish(service, { scope: project("web") }), idle());
      await client.revoke({ authUrl: stored.authUrl, token: stored.token }, idle());
      expect(service.asked.filter((line) => line === SIGN_IN)).toHaveLength(1);
      expect(service.live).toContain("unscoped-1");
    });
  });

  test("are handed out with a warning if the unscoped token cannot be revoked", async () => {
    await withService(async (service, client) => {
      service.revokes = false;
      const { warnings } = await client.issueOwn(wish(service), idle());
      expect(warnings).toEqual([
        expect.stringContaining("could not be revoked, and lives until 20"),
      ]);
    });
  });
});

describe("a refused identity token", () => {
  test("is one request for all references and scopes, shared or not", async () => {
    await withService(async (service, client) => {
      service.refuses = () => true;
      for (const way of ["obtain", "issueOwn", "obtain"] as const)
        await many(3, async (index) => {
          const request = wish(service, { scope: SCOPES[index] ?? ACCOUNT });
          const { code, message } = await errorOf(client[way](request, idle()));
          expect(code).toBe("ERR_CREDENTIALS_REJECTED");
          expect(message).not.toMatch(/CANARY|[^\P{Cc}\n]/u);
        });
      expect(service.asked).toEqual([SIGN_IN]);
    });
  });

  test("is not remembered for the one that the file has next", async () => {
    await withService(async (service, client) => {
      const tokens = [jwt({}, "CANARYold"), jwt({}, "CANARYnew")];
      service.refuses = (token) => token.endsWith("old");
      const readToken = async () => tokens.shift() ?? Secret.of("");
      const request = wish(service, {
        credential: service.credential({ readToken }),
      });
      await errorOf(client.obtain(request, idle()));
      await client.obtain(request, idle());
    });
  });

  test("for one scope is one request, and the other scopes get their tokens", async () => {
    await withService(async (service, client) => {
      service.forbidden.add("web");
      const errors = await many(3, () =>
        errorOf(client.obtain(wish(service, { scope: project("web") }), idle())),
      );
      await client.obtain(wish(service), idle());
      expect(service.asked).toEqual([
        SIGN_IN,
        "scope web by unscoped-1",
        "scope account by unscoped-1",
      ]);
      const [fact, ...causes] = errors[0]?.problem.split("\n") ?? [];
      expect(fact).toContain(
        'answered 401 to the user of the identity token (oidc_token_file of the provider block), who requested a token for project "web" in account "123456".',
      );
      expect(causes).toHaveLength(4);
      expect(causes[0]).toContain(
        'mapping of identity provider "ci/1" puts this token into a group',
      );
      expect(errors[0]?.message).not.toContain("locked");
    });
  });

  test("that is no JWT is an error before a request", async () => {
    const token = Secret.of("CANARY.CANARY");
    await withService(async (service, client) => {
      const credential = service.credential({ readToken: async () => token });
      const error = await errorOf(client.obtain(wish(service, { credential }), idle()));
      expect(error.code).toBe("ERR_IDENTITY_TOKEN_INVALID");
      expect(error.message).toContain("oidc_token_file of the provider block");
      expect(error.message).not.toContain("CANARY");
      expect(service.asked).toEqual([]);
    });
  });
});

test("the files for TLS are those of both requests", async () => {
  const credential = await withService(async (service) => service.credential());
  const transport = new ScriptedTransport(issued("unscoped"), issued("scoped"));
  const client = new IdentityClient({ transport, now: () => NOW });
  const tls = { ca: "CA" };
  await client.obtain({ credential, scope: ACCOUNT, tls }, idle());
  expect(transport.sent.map(({ options }) => options.tls)).toEqual([tls, tls]);
});

test("a cancelled reference leaves the sign-in to the others, the last one ends its reading", async () => {
  await withService(async (service, client) => {
    const ended: string[] = [];
    const readToken = (signal: AbortSignal) =>
      new Promise<Secret>((_, reject) => {
        signal.addEventListener("abort", () => {
          ended.push("ended");
          reject(new Error("ended"));
        });
      });
    const credential = service.credential({ readToken });
    const [first, second] = [new AbortController(), new AbortController()];
    const results = [first, second].map(({ signal }, index) =>
      errorOf(client.obtain(wish(service, { credential, scope: project(`p${index}`) }), signal)),
    );
    await new Promise((resolve) => setImmediate(resolve));
    first.abort();
    expect((await results[0])?.code).toBe("ERR_CANCELLED");
    expect(ended).toEqual([]);
    second.abort();
    expect((await results[1])?.code).toBe("ERR_CANCELLED");
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toEqual(["ended"]);
    expect(service.asked).toEqual([]);
  });
});
