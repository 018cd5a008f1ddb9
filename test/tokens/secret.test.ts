import { format, inspect } from "node:util";
import { fingerprintOf, Secret } from "../../lib/tokens";

const secret = Secret.of("canary-value");

test.each([
  ["a template string", () => `${secret}`],
  ["JSON", () => JSON.stringify({ secret })],
  [
    "inspection, with hidden properties",
    () => inspect({ secret }, { depth: 10, showHidden: true }),
  ],
  ["console formatting", () => format("%s %o %O %j", secret, secret, secret, secret)],
  ["its own keys", () => Object.getOwnPropertyNames(secret).concat(Object.values(secret)).join()],
  ["an error", () => String(new Error(`refused: ${secret}`))],
])("a secret is not shown by %s", (_how, show) => {
  expect(show()).not.toContain("canary");
});

test("a secret is given only when it is asked for", () => {
  expect(secret.reveal()).toBe("canary-value");
});

test("a fingerprint is twelve hex digits, equal for equal tokens, and not the plain digest", () => {
  expect(fingerprintOf(secret)).toBe(fingerprintOf(Secret.of("canary-value")));
  expect(fingerprintOf(secret)).not.toBe(fingerprintOf(Secret.of("canary-valuE")));
  // Fixed: fingerprints are compared across runs and versions.
  expect(fingerprintOf(Secret.of("gAAAA"))).toMatchInlineSnapshot(`"ff2ff3192d37"`);
});
