import {
  arithmetic,
  pushedRotationOf,
  rotateWhenRemainingOf,
} from "../../lib/rotation/rotation-plan";
import {
  type RotationSettings,
  toInterval,
  toRotationSettings,
} from "../../lib/rotation/rotation-settings";
import { HOUR, MINUTE } from "./runs";

const SECOND = 1000;
const USUAL: RotationSettings = {
  intervalMs: 6 * HOUR,
  missedRuns: 1,
  startDelayMs: 15 * MINUTE,
  longestApplyMs: 30 * MINUTE,
  clockUncertaintyMs: 5 * MINUTE,
  lifetimeMs: 24 * HOUR,
};

test("a plan rotates a token as soon as the next run might come too late for it; a pushed one earlier, which lives nearly its whole life", () => {
  const pushed = {
    rotateEveryMs: 10 * HOUR + 30 * MINUTE,
    minRemainingMs: 23 * HOUR + 55 * MINUTE,
  };
  expect(pushedRotationOf(USUAL)).toEqual(pushed);
  expect(rotateWhenRemainingOf(USUAL)).toBe(12 * HOUR + 50 * MINUTE);
});

const OTHERS = "15m (start delay) + 30m (longest apply) + 2 x 5m (clock uncertainty)";

test.each([
  [
    1,
    false,
    `2 x 6h (the interval; 1 run may be missed) + ${OTHERS} = 12h55m, less than a token's lifetime of 24h`,
  ],
  [
    0,
    undefined,
    `1 x 6h (the interval; no run may be missed) + ${OTHERS} = 6h55m, less than a token's lifetime of 24h`,
  ],
  [
    3,
    false,
    `4 x 6h (the interval; 3 runs may be missed) + ${OTHERS} = 24h55m, not less than a token's lifetime of 24h`,
  ],
  [
    1,
    true,
    "2 x 6h (the interval; 1 run may be missed) + 15m (start delay) + 2 x 30m (longest apply) + 3 x 5m (clock uncertainty) = 13h30m, less than a token's lifetime of 24h",
  ],
])("the sum with %d missed runs (pushed: %s) is written out", (missedRuns, pushed, sum) => {
  expect(arithmetic({ ...USUAL, missedRuns }, pushed)).toBe(sum);
});

const EXACT = { startDelayMs: 0, longestApplyMs: 0, clockUncertaintyMs: 0 };
const NO_INTERVAL =
  "No interval is short enough: shorten the start delay, the longest apply or the clock uncertainty.";

test.each<[Partial<RotationSettings>, string]>([
  [{ missedRuns: 3 }, "Run at least every 5h46m, or tolerate 2 missed runs."],
  [{ intervalMs: 12 * HOUR }, "Run at least every 11h32m, or tolerate no missed run."],
  [{ intervalMs: 24 * HOUR, missedRuns: 0 }, "Run at least every 23h4m."],
  [
    { ...EXACT, intervalMs: 20 * SECOND, missedRuns: 6, lifetimeMs: 70 * SECOND },
    "Run at least every 9s, or tolerate 2 missed runs.",
  ],
  // A minute is named as one.
  [
    { ...EXACT, intervalMs: 2 * MINUTE, missedRuns: 0, lifetimeMs: MINUTE + 1 },
    "Run at least every 1m.",
  ],
  // 2 x 1s would be as long as the token's life, and no shorter interval is named.
  [{ ...EXACT, intervalMs: 5 * SECOND, lifetimeMs: 2 * SECOND }, NO_INTERVAL],
  [{ longestApplyMs: 30 * HOUR }, NO_INTERVAL],
])("for %j, which leaves a gap, names changes without a gap: %s", (more, remedy) => {
  const settings = { ...USUAL, ...more };
  expect(() => rotateWhenRemainingOf(settings)).toThrow(
    expect.objectContaining({
      code: "ERR_SCHEDULE_GAP",
      problem: `The schedule leaves a gap: ${arithmetic(settings)}.`,
      remedy,
    }),
  );
});

test("the named changes leave no gap, and a minute more does", () => {
  const nearest = 11 * HOUR + 32 * MINUTE;
  expect(() => rotateWhenRemainingOf({ ...USUAL, intervalMs: nearest })).not.toThrow();
  expect(() => rotateWhenRemainingOf({ ...USUAL, intervalMs: nearest + MINUTE })).toThrow(
    /leaves a gap/,
  );
});

test.each([
  [false, 12 * HOUR + 55 * MINUTE],
  [true, 13 * HOUR + 30 * MINUTE],
])("a lifetime must be longer than the sum, by a millisecond (pushed: %s)", (pushed, needed) => {
  const plan = pushed ? pushedRotationOf : rotateWhenRemainingOf;
  const [tight, enough] = [needed, needed + 1].map((lifetimeMs) => ({ ...USUAL, lifetimeMs })) as [
    RotationSettings,
    RotationSettings,
  ];
  expect(() => plan(tight)).toThrow(
    expect.objectContaining({
      problem: `The schedule leaves a gap${pushed ? " for a token that is pushed" : ""}: ${arithmetic(tight, pushed)}.`,
    }),
  );
  if (pushed) expect(plan(enough)).toMatchObject({ rotateEveryMs: 1 });
  else expect(plan(enough)).toBeGreaterThan(0);
  expect(arithmetic(tight, pushed)).toContain(", not less than a token");
  expect(arithmetic(enough, pushed)).toContain(", less than a token");
  // Enough for a token in the state, and not for one that is pushed.
  if (pushed) expect(rotateWhenRemainingOf(tight)).toBeGreaterThan(0);
});

test("the changes for a pushed token are those of its own sum", () => {
  expect(() => pushedRotationOf({ ...USUAL, intervalMs: 11.5 * HOUR })).toThrow(
    expect.objectContaining({ remedy: "Run at least every 11h14m, or tolerate no missed run." }),
  );
});

test.each<[object, Partial<RotationSettings>]>([
  [{}, {}],
  [{ startDelay: "0" }, { startDelayMs: 0 }],
  [{ startDelay: "0s" }, { startDelayMs: 0 }],
  [{ startDelay: "0.5h" }, { startDelayMs: 30 * MINUTE }],
  [
    { longestApply: "0m", clockUncertainty: "0h" },
    { longestApplyMs: 0, clockUncertaintyMs: 0 },
  ],
  [{ missedRuns: 0 }, { missedRuns: 0 }],
  [
    { missedRuns: 1000, lifetime: "12h" },
    { missedRuns: 1000, lifetimeMs: 12 * HOUR },
  ],
])("of %j the rest has its default", (options, changed) => {
  expect(toRotationSettings(6 * HOUR, options)).toEqual({ ...USUAL, ...changed });
});

const NUMBER = {
  code: "ERR_SCHEDULE_INVALID",
  allowed: "a whole number from 0 to 1000",
  remedy: "Say how many runs in a row may be missed.",
};
const TEXT = { code: "ERR_DURATION_INVALID", allowed: 'a string such as "30m" or "6h"' };
const ABOVE_ZERO =
  'a number with a unit (d, h, m, s, ms), also joined, above zero and at most 366d: "2h", "90m", "1h30m"';
const DURATION = { code: "ERR_DURATION_INVALID", allowed: ABOVE_ZERO };

test.each<[Readonly<Record<string, unknown>>, string, object]>([
  [{ missedRuns: -1 }, "--missedRuns is -1.", NUMBER],
  [{ missedRuns: 1001 }, "--missedRuns is 1001.", NUMBER],
  [{ missedRuns: 1.5 }, "--missedRuns is 1.5.", NUMBER],
  [{ missedRuns: "1" }, '--missedRuns is "1".', NUMBER],
  [{ missedRuns: true }, "--missedRuns is a value of type boolean.", NUMBER],
  [{ startDelay: 5 }, "--startDelay is a value of type number.", TEXT],
  [
    { startDelay: "soon" },
    '--startDelay: "soon" is not a duration.',
    { ...DURATION, allowed: `${ABOVE_ZERO}; or "0s"` },
  ],
  [{ lifetime: "0s" }, '--lifetime: "0s" is not a duration.', DURATION],
  [{ interval: null }, "The interval is a value of type null.", TEXT],
  [{ interval: "0s" }, 'The interval: "0s" is not a duration.', DURATION],
])("%j is refused, by the name that the user has written", (given, problem, more) => {
  const { interval = "1h", ...options } = given;
  expect(() => toRotationSettings(toInterval(interval), options, (name) => `--${name}`)).toThrow(
    expect.objectContaining({ problem, ...more }),
  );
});
