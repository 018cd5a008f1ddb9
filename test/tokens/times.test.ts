import fc from "fast-check";
import {
  formatApart,
  formatDuration,
  formatExact,
  fromRfc3339,
  parseDuration,
  parseRetryFor,
  toRfc3339,
} from "../../lib/tokens";
import { expectOften } from "../support/expect-often";
import { fuzz } from "../support/fuzz";

test.each(["", "2", "h", "2 h", "-1h", "0s", "1h x", "367d", "1e3s"])(
  "%j is not a duration: the refusal says where, and what is allowed",
  (text) => {
    expect(() => parseDuration(text)).toThrow("The given text is not a duration.");
    expect(() => parseDuration(text, "reuse")).toThrow(
      expect.objectContaining({
        code: "ERR_DURATION_INVALID",
        problem: "reuse: the given text is not a duration.",
        allowed:
          'a number with a unit (d, h, m, s, ms), also joined, above zero and at most 366d: "2h", "90m", "1h30m"',
      }),
    );
  },
);

test.each([
  ["1d", 86_400_000],
  ["1h30m", 5_400_000],
  ["1.5s", 1500],
  ["10.25s", 10_250],
  ["250ms", 250],
  ["366d", 366 * 86_400_000],
])("%s is %d ms", (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds);
});

test.each([
  ["0s", 0],
  ["0ms", 0],
  ["0s1m", 60_000],
  ["5m", 300_000],
])("%s for all tries is %d ms", (text, milliseconds) => {
  expect(parseRetryFor(text, "retry_for")).toBe(milliseconds);
});

test.each([
  ["", "the given text is not a duration"],
  ["0", "the given text is not a duration"],
  ["-1s", "the given text is not a duration"],
  ["6m", "6 min is too long"],
])("%j for all tries: %s", (text, why) => {
  expect(() => parseRetryFor(text, "retry_for")).toThrow(
    expect.objectContaining({
      code: "ERR_DURATION_INVALID",
      problem: `retry_for: ${why}.`,
      allowed: '"0s" (one try) to "5m"',
    }),
  );
});

test.each([
  [0, "0 s"],
  [499, "499 ms"],
  [500, "1 s"],
  [86_399_000, "23 h 59 min"],
  [86_400_000 + 60_000, "1 d 1 min"],
])("%d ms for people are %s: the two largest units", (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});

test.each([
  [
    [7_200_000, 5_400_000],
    ["2 h", "1 h 30 min"],
  ],
  [
    [7_200_000, 7_200_000],
    ["2 h", "2 h"],
  ],
  [
    [86_370_000, 86_400_000, 86_385_000],
    ["23 h 59 min 30 s", "1 d", "23 h 59 min 45 s"],
  ],
  [
    [86_399_999, 86_400_000],
    ["23h59m59s999ms", "24h"],
  ],
])("%j ms, which are compared, are %j: different ones look different", (durations, texts) => {
  expect(formatApart(...durations)).toEqual(texts);
});

test.each([
  [0, "0s"],
  [5_400_000, "1h30m"],
  [366 * 86_400_000, "8784h"],
  [3_661_001, "1h1m1s1ms"],
])("%d ms are %s exactly", (milliseconds, text) => {
  expect(formatExact(milliseconds)).toBe(text);
});

const YEAR = 366 * 86_400_000;

test("reads an exactly written duration as the same one", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: YEAR }), (milliseconds) => {
      expectOften(parseDuration(formatExact(milliseconds))).toBe(milliseconds);
    }),
    fuzz(5000),
  );
});

test("any text is a duration by what is said of one, or refused without what a terminal obeys", () => {
  const part = fc.constantFrom(
    ...["1", "30", "0", ".5", ".", "d", "h", "m", "s", "ms", " ", "-", "\n", "\u001b[2J", "é"],
    "99999",
  );
  const units = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const text = parts.join("");
      let read: number | undefined;
      try {
        read = parseDuration(text, "reuse");
      } catch (error) {
        expect(error).toMatchObject({ code: "ERR_DURATION_INVALID" });
        expectOften(String(error)).not.toMatch(/\p{Cc}/u);
      }
      const isOne = /^(\d+(\.\d+)?(ms|[dhms]))+$/.test(text);
      const total = (isOne ? text.split(/(?<=[a-z])(?=\d)/) : []).reduce(
        (sum, each) => sum + Number.parseFloat(each) * units[each.replace(/[\d.]+/, "") as "d"],
        0,
      );
      expectOften(read === undefined).toBe(!(total > 0 && total <= YEAR));
      if (read !== undefined) expect(read).toBeCloseTo(total, 2);
    }),
    fuzz(5000),
  );
});

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
