import { UsageJournal } from "../../lib/identity";
import { fingerprintOf, Secret } from "../../lib/tokens";
import { scripted } from "./support/scripted-client";
import { answer, fault, issued, type Step } from "./support/scripted-transport";
import {
  expectNoCanary,
  HOUR,
  idle,
  NOW,
  project,
  requestAt,
  TOKEN_CANARY,
} from "./support/wanted";

const AT = "https://k.example";

function counting(steps: readonly Step[], limit = 10) {
  const journal = new UsageJournal(limit);
  return { journal, ...scripted(steps, { journal }) };
}

test("reports for each credential and scope the requests and their cost, without a secret", async () => {
  const steps = [answer(503), fault("connection"), issued(TOKEN_CANARY)];
  const { journal, client } = counting(steps);
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

test("keeps only the sums for credentials above its limit", async () => {
  const { journal, client } = counting([issued()], 2);
  for (const name of ["a", "b", "c", "d", "d"])
    await client.obtain(requestAt(AT, { scope: project(name) }), idle());
  const { credentials, partial, total } = journal.read(NOW);
  expect(credentials.map(({ projectName }) => projectName)).toEqual(["a", "b"]);
  expect({ partial, total }).toMatchObject({
    partial: true,
    total: { tokens: 4, uses: 5, requests: 4 },
  });
});

test("counts the uses of a token with less than an hour left, which an apply may outlive", async () => {
  const { journal, client, clock } = counting([issued(TOKEN_CANARY)]);
  const wanted = requestAt(AT, { minRemainingMs: 1 });
  for (const passed of [0, 23 * HOUR, 23 * HOUR + 1]) {
    clock.now = NOW + passed;
    await client.obtain(wanted, idle());
  }
  expect(journal.read(NOW).total).toMatchObject({ uses: 3, briefUses: 1, requests: 1 });
});
