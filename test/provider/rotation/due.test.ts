import { whyRotationIsDue } from "../../../lib/provider/rotation/due";

const HOUR = 3_600_000;
const T0 = Date.parse("2026-03-01T00:00:00Z");
const STATE = { rotated_at: "2026-03-01T00:00:00Z", rotate_at: "2026-03-01T12:00:00Z" };

test.each([
  [{}, 0, []],
  [{}, 12 * HOUR - 1, []],
  [{}, 12 * HOUR, ["It was due at 2026-03-01T12:00:00Z, just now."]],
  [{}, 26 * HOUR, ["It was due at 2026-03-01T12:00:00Z, 14 h ago."]],
  [{}, -5 * 60_000, []],
  [{}, -5 * 60_000 - 1, [expect.stringContaining("the clock is behind or was put back")]],
  [
    { rotate_at: "2026-03-01T06:00:00Z" },
    6 * HOUR,
    ["It was due at 2026-03-01T06:00:00Z, just now."],
  ],
  // By hand it can be had earlier, never later.
  [
    { rotate_at: "2036-03-01T06:00:00Z" },
    12 * HOUR,
    ["It was due at 2026-03-01T12:00:00Z, just now."],
  ],
  [{ rotate_at: "never" }, 0, [expect.stringContaining("cannot be read")]],
  [{ rotated_at: null }, 0, [expect.stringContaining("cannot be read")]],
])(
  "with %j and a clock at %d ms after the rotation it is due because of %j",
  (edit, passed, expected) => {
    expect(whyRotationIsDue({ ...STATE, ...edit }, 12 * HOUR, T0 + passed)).toEqual(expected);
  },
);

test("as long as the interval is not known, the time of the state counts", () => {
  expect(whyRotationIsDue(STATE, undefined, T0 + 11 * HOUR)).toEqual([]);
  expect(whyRotationIsDue(STATE, undefined, T0 + 12 * HOUR)).toHaveLength(1);
});
