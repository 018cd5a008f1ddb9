import { HTTPS } from "./conformance/issuing";
import { CONFORMANCE, conformanceSuite, countCases } from "./conformance/suite";
import { startEmbeddedTwin } from "./embedded-twin";

describe("the embedded service", () => {
  conformanceSuite(CONFORMANCE, () => startEmbeddedTwin());
  describe("with TLS", () => conformanceSuite([HTTPS], () => startEmbeddedTwin({ tls: true })));
});

test("each case has a name of its own, and they are more than 120", () => {
  const names = CONFORMANCE.flatMap(({ name, cases }) => cases.map((one) => `${name} ${one.name}`));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  expect(countCases(CONFORMANCE)).toBeGreaterThan(120);
});
