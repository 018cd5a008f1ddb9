import fc from "fast-check";
import { parseHandoverRequest } from "../../../lib/plugin/handover/handover-request";
import { fuzz } from "../../support/fuzz";

test("the launcher's arguments ask for a hand-over", () => {
  expect(parseHandoverRequest(["handover", "/tmp/x-1-2", "1", "2", "3"])).toEqual({
    folder: "/tmp/x-1-2",
    terraform: 1,
    startTime: "2",
    launcher: 3,
  });
});

test.each([
  [[]],
  [["other", "/tmp/x", "1", "2"]],
  [["handover"]],
  [["handover", "relative", "1", "2", "3"]],
  [["handover", "/tmp/x", "0", "2", "3"]],
  [["handover", "/tmp/x", "-1", "2", "3"]],
  [["handover", "/tmp/x", "1x", "2", "3"]],
  [["handover", "/tmp/x", "1", "", "3"]],
  [["handover", "/tmp/x", "1", "2"]],
  [["handover", "/tmp/x", "1", "2", "x"]],
  // Found by the property below: as a number it is another one.
  [["handover", "/tmp/x", "1", "0", "312184824489738751"]],
])("%j does not: the server then serves its own launch", (args) => {
  expect(parseHandoverRequest(args)).toBeUndefined();
});

test("whatever the arguments are, a request is exactly what they say", () => {
  const argument = fc.oneof(
    fc.constantFrom("handover", "/tmp/x", "", "0", "01"),
    fc.nat().map(String),
    fc.bigInt({ min: -9n, max: 10n ** 25n }).map(String),
    fc.string({ maxLength: 5 }),
  );
  const args = fc.oneof(
    fc.array(argument, { maxLength: 6 }),
    fc.tuple(fc.constant("handover"), fc.constant("/tmp/x"), argument, argument, argument),
  );
  fc.assert(
    fc.property(args, (given) => {
      const request = parseHandoverRequest(given);
      if (request === undefined) return;
      const { folder, terraform, startTime, launcher } = request;
      expect(["handover", folder, `${terraform}`, startTime, `${launcher}`]).toEqual(
        given.slice(0, 5),
      );
      expect(Math.min(terraform, launcher)).toBeGreaterThan(0);
    }),
    fuzz(5000),
  );
});
