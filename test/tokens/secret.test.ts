import { format, inspect } from "node:util";
import { fingerprintOf, Secret } from "../../lib/tokens";

const secret = Secret.of("canary-value");

test.each([
  { how: "a template string", printed: `${secret}`, as: "(sensitive)" },
  { how: "JSON", printed: JSON.stringify({ secret }), as: '{"secret":"(sensitive)"}' },
  {
    how: "inspection, with hidden properties",
    printed: inspect({ secret }, { depth: 10, showHidden: true }),
    as: "{ secret: (sensitive) }",
  },
  {
    how: "console formatting",
    printed: format("%s %o %O %j", secret, secret, secret, secret),
    as: '(sensitive) (sensitive) (sensitive) "(sensitive)"',
  },
  {
    how: "its own keys",
    printed: Object.getOwnPropertyNames(secret).concat(Object.values(secret)).join(),
    as: "",
  },
])("by $how a secret is not printed", ({ printed, as }) => {
  expect(printed).toBe(as);
});

test("a secret is revealed only on request", () => {
  expect(secret.reveal()).toBe("canary-value");
});

test("a fingerprint is twelve hex digits, equal for equal tokens, and not the plain digest", () => {
  expect(fingerprintOf(secret)).toBe(fingerprintOf(Secret.of("canary-value")));
  expect(fingerprintOf(secret)).not.toBe(fingerprintOf(Secret.of("canary-valuE")));
  // Fixed: fingerprints are compared across runs and versions.
  expect(fingerprintOf(Secret.of("gAAAA"))).toBe("ff2ff3192d37");
});
