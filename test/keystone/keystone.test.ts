import { describeIf, testIf } from "../support/skips";
import { hasTerraform } from "../support/terraform";
import { HTTPS } from "./conformance/issuing";
import { CONFORMANCE, conformanceSuite } from "./conformance/suite";
import type { IdentityUnderTest } from "./identity-under-test";
import { startRealKeystone, whyNoApache, whyNoKeystone } from "./real-keystone";
import { RotatedStack } from "./rotated-stack";

const missing = whyNoKeystone();
// Jest counts a file whose tests are all skipped, and does not name it.
if (missing !== undefined) process.stderr.write(`Skipped: a real Keystone (${missing}).\n`);

const noApache = missing === undefined ? whyNoApache() : undefined;
if (noApache !== undefined)
  process.stderr.write(`Skipped: identity tokens at a real Keystone (${noApache}).\n`);

// One Keystone for all, by https: it takes longer to start than all that it is asked.
describeIf(missing === undefined, missing ?? "")("a real Keystone", () => {
  let keystone: IdentityUnderTest;

  // The same cases as for the embedded service, none left out: embedded.test.ts.
  const start = async () => {
    keystone = await startRealKeystone({ tls: true });
    return keystone;
  };
  const without = noApache === undefined ? [] : (["federation"] as const);
  conformanceSuite([...CONFORMANCE, HTTPS], start, without);

  testIf(hasTerraform(), "there is no Terraform here")(
    "a rotation by Terraform: the new token is valid, and the old one until it expires",
    async () => {
      const stack = await RotatedStack.open(keystone);
      try {
        const first = await stack.apply("1");
        expect(first).toMatchObject({ rotations: [1, 1], isAccepted: true });
        expect(await stack.apply("1")).toEqual(first);
        const second = await stack.apply("2");
        expect(second).toMatchObject({ rotations: [2, 2], isAccepted: true });
        expect(second.token).not.toBe(first.token);
        expect(await stack.accepts(first.token)).toBe(true);
      } finally {
        await stack.close();
      }
    },
    120_000,
  );
});
