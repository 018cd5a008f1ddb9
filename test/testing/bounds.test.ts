import { randomBytes } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { InProcessIdentityService, identityMatchers } from "../../lib/testing";
import { TokenRegister } from "../../lib/testing/identity/token-register";
import { ACCOUNTS, authBody } from "./identity-client-of-a-test";

const issuing = {
  method: "POST",
  url: "/identity/v3/auth/tokens",
  body: JSON.stringify(authBody()),
};

/** Memory that is in use, without what nobody refers to any more. */
function usedBytes(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}

test("11,000 requests with long paths and names leave a small journal, which counts what it dropped", async () => {
  const identity = InProcessIdentityService.create(ACCOUNTS);
  const before = usedBytes();
  for (let request = 0; request < 11_000; request += 1) {
    // Different each time: equal strings could be shared.
    const long = `${request}-${"x".repeat(8_000)}`;
    const url = request % 2 === 0 ? `/identity/v3/${long}` : `/identity/v3/no-such-path?${long}`;
    const body = JSON.stringify(authBody({ user: long }));
    await identity.handle(request % 10 === 0 ? { ...issuing, body } : { url });
  }
  // Of the journal alone, not of the requests whose parts it has. Measured before anything reads
  // these parts, which may copy them.
  expect(usedBytes() - before).toBeLessThan(30_000_000);
  const { journal } = identity;
  expect([journal.length, identity.journalDropped]).toEqual([10_000, 1_000]);
  expect(journal.at(-2)?.path).toMatch(/^\/identity\/v3\/10998-x+…$/);
  expect(Buffer.byteLength(JSON.stringify(journal))).toBeLessThan(10_000_000);
  identity.clearJournal();
  expect([identity.journal.length, identity.journalDropped]).toEqual([0, 0]);
}, 120_000);

test("a matcher does not judge by a journal that has dropped something", () => {
  const service = { journal: [], journalDropped: 1 };
  expect(() => identityMatchers.toHaveIssued(service, { times: 0 })).toThrow("clearJournal()");
});

test("of many expired or revoked tokens the oldest are forgotten, and no valid one", () => {
  let now = 0;
  const tokens = new TokenRegister({ now: () => now, random: randomBytes, lifetimeSeconds: 3600 });
  const owner = InProcessIdentityService.create(ACCOUNTS).user("deployer");
  const issue = () => tokens.issue(owner, { kind: "none" }, ["password"]).token;
  let valid: string[] = [];
  for (let hour = 0; hour < 10; hour += 1) {
    valid = Array.from({ length: 5_000 }, issue);
    for (const token of valid.splice(0, 1_000)) tokens.revoke(token);
    if (hour < 9) now += 3_600_000;
  }
  const kept = tokens.all();
  // Dead ones, and as many again as the sweep lets come together.
  expect(kept.length).toBeLessThan(30_000);
  expect(kept.slice(-4_000)).toEqual(valid);
  expect(kept.filter((token) => tokens.find(token).status === "valid")).toEqual(valid);
});
