import { formatDuration, parseDuration } from "../../lib/tokens";

test("a duration joins numbers with units", () => {
  expect(parseDuration("1h30m")).toBe(5_400_000);
  expect(parseDuration("250ms")).toBe(250);
});

test.each(["", "2", "h", "2 h", "-1h", "0s", "1h x", "367d", "1e3s"])("%j is not a duration", (text) => {
  expect(() => parseDuration(text)).toThrow(expect.objectContaining({ code: "ERR_DURATION_INVALID" }));
});

test("a duration for people has its two largest units", () => {
  expect(formatDuration(86_399_000)).toBe("23 h 59 min");
  expect(formatDuration(-5_000)).toBe("-5 s");
});
