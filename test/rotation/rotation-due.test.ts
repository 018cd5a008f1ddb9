import type { CtyObject } from "../../lib/plugin/cty/value";
import { whyRotationIsDue } from "../../lib/rotation/rotation-due";
import { assertThreshold } from "../../lib/rotation/token-due";

const HOUR = 3_600_000;
const T0 = Date.parse("2026-03-01T00:00:00Z");
const STATE = { rotated_at: "2026-03-01T00:00:00Z", rotate_at: "2026-03-01T12:00:00Z" };
const UNREADABLE =
  "rotated_at or rotate_at in the state cannot be read, so the time of the last rotation is unknown.";
const CLOCK =
  "The last rotation was at 2026-03-01T00:00:00Z, and this machine's clock says 2026-02-28T23:54:59Z: the clock is behind or was set back, so the time of the last rotation is uncertain. Correct the clock.";

const dueAt = (time: string, ago: string) =>
  `The rotation was due at 2026-03-01T${time}:00Z, ${ago}.`;

test("a rotation is due from its time on, and if its times or the clock are in doubt", () => {
  const rows: readonly (readonly [CtyObject, number, string | undefined])[] = [
    [{}, 0, undefined],
    [{}, 12 * HOUR - 1, undefined],
    [{}, 12 * HOUR, dueAt("12:00", "just now")],
    [{}, 26 * HOUR, dueAt("12:00", "14 h ago")],
    [{}, -5 * 60_000, undefined],
    [{}, 12 * HOUR + 999, dueAt("12:00", "just now")],
    [{}, 12 * HOUR + 1000, dueAt("12:00", "1 s ago")],
    [{}, -5 * 60_000 - 1, CLOCK],
    // The interval decides: rotate_at may be that of another one.
    [{ rotate_at: "2026-03-01T06:00:00Z" }, 6 * HOUR, undefined],
    [{ rotate_at: "2036-03-01T06:00:00Z" }, 12 * HOUR, dueAt("12:00", "just now")],
    [{ rotate_at: "never" }, 0, UNREADABLE],
    [{ rotated_at: null }, 0, UNREADABLE],
  ];
  for (const [edit, passed, expected] of rows) {
    expect(whyRotationIsDue({ ...STATE, ...edit }, 12 * HOUR, T0 + passed)).toBe(expected);
  }
});

test("uses the time of the state as long as the interval is not known", () => {
  const unknown = Number.POSITIVE_INFINITY;
  expect(whyRotationIsDue(STATE, unknown, T0 + 11 * HOUR)).toBeUndefined();
  expect(whyRotationIsDue(STATE, unknown, T0 + 12 * HOUR)).toBeDefined();
});

test.each([
  [HOUR, HOUR, "1 h", "1 h"],
  [2 * HOUR, HOUR, "1 h", "2 h"],
  // Not the other way round, however they are rounded.
  [HOUR - 1, HOUR - 1, "59 min 59 s", "1 h"],
])("a threshold of %d ms for a life of %d ms is refused", (threshold, lifetime, lives, left) => {
  expect(() => assertThreshold("by it", threshold, "A token lives", lifetime)).toThrow(
    `A token lives ${lives}, and by it it is rotated when less than ${left} are left. `,
  );
  expect(() => assertThreshold("by it", lifetime - 1, "A token lives", lifetime)).not.toThrow();
});
