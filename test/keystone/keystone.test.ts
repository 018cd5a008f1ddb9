import { describeIf } from "../support/skips";
import { HTTPS } from "./conformance/issuing";
import { CONFORMANCE, conformanceSuite } from "./conformance/suite";
import { startRealKeystone, whyNoKeystone } from "./real-keystone";

const missing = whyNoKeystone();
// Jest counts a file whose tests are all skipped, and does not name it.
if (missing !== undefined) process.stderr.write(`Skipped: a real Keystone (${missing}).\n`);

// The same cases as for the embedded service, none left out: embedded.test.ts.
describeIf(missing === undefined, missing ?? "")("a real Keystone", () => {
  conformanceSuite(CONFORMANCE, () => startRealKeystone());
  describe("with TLS", () => conformanceSuite([HTTPS], () => startRealKeystone({ tls: true })));
});
