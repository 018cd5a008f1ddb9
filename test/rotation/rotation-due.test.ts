import { countAfter, firstCount, isCountLost } from "../../lib/rotation/count";
import { assertThreshold, whyRotationIsDue } from "../../lib/rotation/due";

const HOUR = 3_600_000;
const T0 = Date.parse("2026-03-01T00:00:00Z");
const STATE = { rotated_at: "2026-03-01T00:00:00Z", rotate_at: "2026-03-01T12:00:00Z" };
const UNREADABLE =
  "rotated_at or rotate_at in the state cannot be read, so the time of the last rotation is unknown.";
const CLOCK =
  "The last rotation was at 2026-03-01T00:00:00Z, and this machine's clock says 2026-02-28T23:54:59Z: the clock is behind or was set back, so the time of the last rotation is uncertain. Correct the clock.";

test.each([
  [{}, 0, []],
  [{}, 12 * HOUR - 1, []],
  [{}, 12 * HOUR, ["The rotation was due at 2026-03-01T12:00:00Z, just now."]],
  [{}, 26 * HOUR, ["The rotation was due at 2026-03-01T12:00:00Z, 14 h ago."]],
  [{}, -5 * 60_000, []],
  [{}, 12 * HOUR + 999, ["The rotation was due at 2026-03-01T12:00:00Z, just now."]],
  [{}, 12 * HOUR + 1000, ["The rotation was due at 2026-03-01T12:00:00Z, 1 s ago."]],
  [{}, -5 * 60_000 - 1, [CLOCK]],
  [
    { rotate_at: "2026-03-01T06:00:00Z" },
    6 * HOUR,
    ["The rotation was due at 2026-03-01T06:00:00Z, just now."],
  ],
  // A manual edit can make it earlier, never later.
  [
    { rotate_at: "2036-03-01T06:00:00Z" },
    12 * HOUR,
    ["The rotation was due at 2026-03-01T12:00:00Z, just now."],
  ],
  [{ rotate_at: "never" }, 0, [UNREADABLE]],
  [{ rotated_at: null }, 0, [UNREADABLE]],
])(
  "with %j and a clock at %d ms after the rotation it is due because of %j",
  (edit, passed, expected) => {
    expect(whyRotationIsDue({ ...STATE, ...edit }, 12 * HOUR, T0 + passed)).toEqual(expected);
  },
);

test("uses the time of the state as long as the interval is not known", () => {
  expect(whyRotationIsDue(STATE, undefined, T0 + 11 * HOUR)).toEqual([]);
  expect(whyRotationIsDue(STATE, undefined, T0 + 12 * HOUR)).toHaveLength(1);
});

test("accepts a threshold below the life", () => {
  expect(() => assertThreshold("by it", HOUR - 1, "A token lives", HOUR)).not.toThrow();
});

test.each([
  { thresholdMs: HOUR, lifetimeMs: HOUR, lives: "1 h", left: "1 h" },
  { thresholdMs: 2 * HOUR, lifetimeMs: HOUR, lives: "1 h", left: "2 h" },
  // Not the other way round, however they are rounded.
  { thresholdMs: HOUR - 1, lifetimeMs: HOUR - 1, lives: "59 min 59 s", left: "1 h" },
])(
  "a threshold of $left for a life of $lives is refused",
  ({ thresholdMs, lifetimeMs, lives, left }) => {
    expect(() => assertThreshold("by it", thresholdMs, "A token lives", lifetimeMs)).toThrow(
      `A token lives ${lives}, and by it it is rotated when less than ${left} are left. `,
    );
  },
);

const newId = () => "new";

test("a count begins with 1 and a new id", () => {
  expect(firstCount(newId)).toEqual({ id: "new", rotation: 1 });
});

test.each([1, 2, 41, Number.MAX_SAFE_INTEGER - 1])(
  "%d is followed by one more, with the same id",
  (rotation) => {
    expect(countAfter({ id: "old", rotation }, newId)).toEqual({
      id: "old",
      rotation: rotation + 1,
    });
    expect(isCountLost({ id: "old", rotation })).toBe(false);
  },
);

test.each([
  { id: "old", rotation: 0 },
  { id: "old", rotation: -3 },
  { id: "old", rotation: 1.5 },
  { id: "old", rotation: null },
  { id: "old", rotation: 2 ** 60 },
  { id: "old", rotation: Number.MAX_SAFE_INTEGER },
  { id: null, rotation: 4 },
  { id: "", rotation: 4 },
  { rotation: 4 },
  {},
])("%p is lost: the count begins again, under another id", (state) => {
  expect(countAfter(state, newId)).toEqual({ id: "new", rotation: 1 });
  expect(isCountLost(state)).toBe(true);
});
