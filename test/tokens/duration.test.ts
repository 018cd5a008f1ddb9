import { formatDuration, formatExact, parseDuration } from "../../lib/tokens";

test("a duration joins numbers with units", () => {
  expect(parseDuration("1h30m")).toBe(5_400_000);
  expect(parseDuration("250ms")).toBe(250);
});

test.each(["", "2", "h", "2 h", "-1h", "0s", "1h x", "367d", "1e3s"])(
  "%j is not a duration",
  (text) => {
    expect(() => parseDuration(text)).toThrow(
      expect.objectContaining({ code: "ERR_DURATION_INVALID" }),
    );
  },
);

test("a duration for people has its two largest units", () => {
  expect(formatDuration(86_399_000)).toBe("23 h 59 min");
  expect(formatDuration(-5_000)).toBe("-5 s");
});

test.each(["0s", "250ms", "45s", "1h30m", "12h50m", "8784h", "1h1m1s1ms"])(
  "%s is written exactly",
  (text) => {
    expect(formatExact(text === "0s" ? 0 : parseDuration(text))).toBe(text);
  },
);
