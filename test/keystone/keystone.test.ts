import { describeIf } from "../support/skips";
import { exchangeScenarios } from "./exchange-scenarios";
import type { IdentityUnderTest } from "./identity-under-test";
import { idleScenario, issuingScenarios, tlsScenarios } from "./issuing-scenarios";
import { startRealKeystone, whyNoKeystone } from "./real-keystone";

const missing = whyNoKeystone();
// Jest counts a file whose tests are all skipped, and does not name it.
if (missing !== undefined) process.stderr.write(`Skipped: a real Keystone (${missing}).\n`);

describeIf(missing === undefined, missing ?? "")("a real Keystone", () => {
  // One for all that want http: a start takes seconds. The last stop ends it.
  let shared: Promise<IdentityUnderTest> | undefined;
  const start = async () => {
    shared ??= startRealKeystone();
    return { ...(await shared), stop: async () => {} };
  };
  afterAll(async () => (await shared)?.stop(), 60_000);

  describe("issuing", () => {
    issuingScenarios(start);
    idleScenario(start);
  });
  describe("single exchanges", () => exchangeScenarios(start));
  describe("https", () => tlsScenarios(() => startRealKeystone({ tls: true })));
});
