import * as fc from "fast-check";
import { fromRfc3339, toRfc3339 } from "../../lib/tokens";
import { fuzz } from "../support/fuzz";

test("a time is written in UTC, cut to whole seconds, and read as such", () => {
  const time = Date.UTC(2026, 0, 2, 3, 4, 5, 999);
  expect(toRfc3339(new Date(time))).toBe("2026-01-02T03:04:05Z");
  fc.assert(
    fc.property(fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) }), (any) => {
      expect(fromRfc3339(toRfc3339(any))).toBe(Math.floor(any / 1000) * 1000);
    }),
    fuzz(100),
  );
});

test.each([
  "2026-02-31T00:00:00Z",
  "2026-01-02T03:04:05.000Z",
  "+012026-01-02T03:04Z",
  "2026-01-02",
])("refuses %p", (text) => {
  expect(fromRfc3339(text)).toBeUndefined();
});
