import { IdentityClient, UsageJournal } from "../../lib/identity";
import { fingerprintOf, Secret } from "../../lib/tokens";
import { answer, fault, issued, ScriptedTransport } from "./support/scripted-transport";
import {
  ACCOUNT,
  credentialAt,
  errorOf,
  expectNoCanary,
  HOUR,
  idle,
  NOW,
  PASSWORD_CANARY,
  project,
  requestAt,
  TOKEN_CANARY,
} from "./support/wanted";

const AT = "https://k.example";

function counting(
  transport: ScriptedTransport,
  more: { limit?: number; remember?: boolean; now?: () => number; cacheEntries?: number } = {},
) {
  const journal = new UsageJournal(more.limit ?? 10);
  const client = new IdentityClient({
    transport,
    journal,
    now: more.now ?? (() => NOW),
    sleep: async () => {},
    ...(more.remember === undefined ? {} : { remember: more.remember }),
    ...(more.cacheEntries === undefined ? {} : { limits: { cacheEntries: more.cacheEntries } }),
  });
  return { journal, client };
}

test("reports for each credential and scope the requests and their cost, without a secret", async () => {
  const transport = new ScriptedTransport(answer(503), fault("connection"), issued(TOKEN_CANARY));
  const { journal, client } = counting(transport);
  for (let use = 0; use < 3; use++) await client.obtain(requestAt(AT), idle());
  await client.issueOwn(requestAt(AT), idle());
  await client.obtain(requestAt(AT, { scope: project("web") }), idle());
  const usage = journal.read(NOW + HOUR);
  expect(usage).toMatchObject({
    credentials: [
      {
        authUrl: `${AT}/identity/v3`,
        accountId: "123456",
        userName: "deployer",
        kind: "iam_token_account_scoped",
        projectName: null,
        tokens: 2,
        uses: 4,
        requests: 4,
        retries: 2,
        last: {
          fingerprint: fingerprintOf(Secret.of(TOKEN_CANARY)),
          issuedAt: new Date(NOW).toISOString(),
          remainingMs: 23 * HOUR,
        },
      },
      {
        kind: "iam_token_project_scoped",
        projectName: "web",
        tokens: 1,
        uses: 1,
        requests: 1,
        retries: 0,
      },
    ],
    partial: false,
    total: { tokens: 3, uses: 5, requests: 5, retries: 2 },
  });
  expectNoCanary(journal);
  expectNoCanary(usage);
});

test("a refused credential has requests and no token", async () => {
  const { journal, client } = counting(new ScriptedTransport(answer(401)));
  for (let use = 0; use < 3; use++) await errorOf(client.obtain(requestAt(AT), idle()));
  expect(journal.read(NOW).credentials).toEqual([
    expect.objectContaining({ tokens: 0, uses: 0, requests: 1, last: null }),
  ]);
});

test("keeps only the sums for credentials above its limit", async () => {
  const { journal, client } = counting(new ScriptedTransport(issued()), { limit: 2 });
  for (const name of ["a", "b", "c", "d", "d"])
    await client.obtain(requestAt(AT, { scope: project(name) }), idle());
  const { credentials, partial, total } = journal.read(NOW);
  expect(credentials.map(({ projectName }) => projectName)).toEqual(["a", "b"]);
  expect({ partial, total }).toMatchObject({
    partial: true,
    total: { tokens: 4, uses: 5, requests: 4 },
  });
});

describe("a pipeline", () => {
  test("of 30 hours gets a new token only if an open requests more lifetime than is left", async () => {
    let now = NOW;
    let count = 0;
    const transport = new ScriptedTransport(() => issued(`token-${++count}`, { receivedAt: now }));
    const { client, journal } = counting(transport, { now: () => now });
    const tokens: string[] = [];
    // An open an hour, each of which needs half an hour, and one that needs twenty hours in the
    // tenth.
    for (let hour = 0; hour <= 30; hour++) {
      now = NOW + hour * HOUR;
      const minRemainingMs = hour === 10 ? 20 * HOUR : HOUR / 2;
      const { token, expiresAt } = await client.obtain(requestAt(AT, { minRemainingMs }), idle());
      expect(expiresAt.getTime() - now).toBeGreaterThanOrEqual(minRemainingMs);
      tokens.push(token.reveal());
    }
    expect(tokens.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => "token-1"));
    expect(new Set(tokens.slice(10))).toEqual(new Set(["token-2"]));
    now = NOW + 34 * HOUR - HOUR / 4;
    expect(
      (await client.obtain(requestAt(AT, { minRemainingMs: HOUR / 2 }), idle())).token.reveal(),
    ).toBe("token-3");
    expect(journal.read(now).credentials).toMatchObject([{ tokens: 3, uses: 32, requests: 3 }]);
  });

  test("never shares a token between different passwords of one user", async () => {
    let count = 0;
    const { client } = counting(new ScriptedTransport(() => issued(`token-${++count}`)));
    const of = (password: string) =>
      client.obtain(
        { credential: credentialAt(AT, { password: Secret.of(password) }), scope: ACCOUNT },
        idle(),
      );
    const [a, b] = await Promise.all([of(PASSWORD_CANARY), of("another")]);
    expect(a.token.reveal()).not.toBe(b.token.reveal());
    expect((await of(PASSWORD_CANARY)).token.reveal()).toBe(a.token.reveal());
  });

  test("without memory sends a request at each opening, but shares one between those of the same moment", async () => {
    let count = 0;
    const { client } = counting(new ScriptedTransport(() => issued(`token-${++count}`)), {
      remember: false,
    });
    const get = async () => (await client.obtain(requestAt(AT), idle())).token.reveal();
    expect(await Promise.all([get(), get()])).toEqual(["token-1", "token-1"]);
    expect([await get(), await get()]).toEqual(["token-2", "token-3"]);
  });

  test("forgets the least recently used token beyond the number that it may keep", async () => {
    const transport = new ScriptedTransport(issued());
    const { client } = counting(transport, { cacheEntries: 2 });
    const get = (name: string) => client.obtain(requestAt(AT, { scope: project(name) }), idle());
    for (const name of ["a", "b", "a", "c", "a", "c"]) await get(name);
    expect(transport.sent).toHaveLength(3);
    await get("b");
    expect(transport.sent).toHaveLength(4);
  });
});
