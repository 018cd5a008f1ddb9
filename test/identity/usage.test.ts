import { noUsage } from "../../lib/identity/usage";
import { answer, fault, issued, type Step, scripted } from "./support/scripted";
import { HOUR, idle, NOW, project, requestAt, TOKEN_CANARY } from "./support/wanted";

const AT = "https://k.example";

function counting(steps: readonly Step[]) {
  const usage = noUsage();
  return { usage, ...scripted(steps, { usage }) };
}

test("adds up the tokens, their uses, and the requests with their cost", async () => {
  const { usage, client } = counting([answer(503), fault("connection"), issued(TOKEN_CANARY)]);
  for (let use = 0; use < 3; use++) await client.obtain(requestAt(AT), idle());
  await client.issueOwn(requestAt(AT), idle());
  await client.obtain(requestAt(AT, { scope: project("web") }), idle());
  expect(usage).toEqual({
    ...{ tokens: 3, uses: 5, briefUses: 0, requests: 5, retries: 2 },
    waitedMs: expect.any(Number),
  });
});

test("counts the uses of a token with less than an hour left, which an apply may outlive", async () => {
  const { usage, client, clock } = counting([issued(TOKEN_CANARY)]);
  const wanted = requestAt(AT, { minRemainingMs: 1 });
  for (const passed of [0, 23 * HOUR, 23 * HOUR + 1]) {
    clock.now = NOW + passed;
    await client.obtain(wanted, idle());
  }
  expect(usage).toMatchObject({ uses: 3, briefUses: 1, requests: 1 });
});
