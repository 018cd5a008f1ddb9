import { arithmetic, planPushedRotation, planRotation } from "../../lib/rotation/rotation-plan";
import type { RotationSettings } from "../../lib/rotation/rotation-settings";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const USUAL: RotationSettings = {
  intervalMs: 6 * HOUR,
  missedRuns: 1,
  startDelayMs: 15 * MINUTE,
  longestApplyMs: 30 * MINUTE,
  clockUncertaintyMs: 5 * MINUTE,
  lifetimeMs: 24 * HOUR,
};
const OTHERS = "15m (start delay) + 30m (longest apply) + 2 x 5m (clock uncertainty)";

test("a plan rotates a token as soon as the next run might come too late for it", () => {
  expect(planRotation(USUAL)).toEqual({
    settings: USUAL,
    reachMs: 12 * HOUR + 45 * MINUTE,
    rotateWhenRemainingMs: 12 * HOUR + 50 * MINUTE,
    pushed: planPushedRotation(USUAL),
  });
});

test("a token that is pushed rotates earlier, and lives nearly its whole life", () => {
  expect(planPushedRotation(USUAL)).toEqual({
    rotateEveryMs: 10 * HOUR + 30 * MINUTE,
    minRemainingMs: 23 * HOUR + 55 * MINUTE,
  });
});

test.each<{ more: Partial<RotationSettings>; pushed?: boolean; sum: string }>([
  {
    more: {},
    sum: `2 x 6h (the interval; 1 run may be missed) + ${OTHERS} = 12h55m, less than a token's lifetime of 24h`,
  },
  {
    more: { missedRuns: 0 },
    sum: `1 x 6h (the interval; no run may be missed) + ${OTHERS} = 6h55m, less than a token's lifetime of 24h`,
  },
  {
    more: { missedRuns: 3 },
    sum: `4 x 6h (the interval; 3 runs may be missed) + ${OTHERS} = 24h55m, not less than a token's lifetime of 24h`,
  },
  {
    more: {},
    pushed: true,
    sum: "2 x 6h (the interval; 1 run may be missed) + 15m (start delay) + 2 x 30m (longest apply) + 3 x 5m (clock uncertainty) = 13h30m, less than a token's lifetime of 24h",
  },
])("the sum of $more (pushed: $pushed) is written out", ({ more, pushed, sum }) => {
  expect(arithmetic({ ...USUAL, ...more }, pushed)).toBe(sum);
});

test.each<{ more: Partial<RotationSettings>; remedy: string }>([
  { more: { missedRuns: 3 }, remedy: "Run at least every 5h46m, or tolerate 2 missed runs." },
  {
    more: { intervalMs: 12 * HOUR },
    remedy: "Run at least every 11h32m, or tolerate no missed run.",
  },
  { more: { intervalMs: 24 * HOUR, missedRuns: 0 }, remedy: "Run at least every 23h4m." },
  {
    more: {
      intervalMs: 20 * SECOND,
      missedRuns: 5,
      startDelayMs: 0,
      longestApplyMs: MINUTE,
      clockUncertaintyMs: 0,
      lifetimeMs: 2 * MINUTE,
    },
    remedy: "Run at least every 9s, or tolerate 1 missed run.",
  },
  {
    // 2 x 1s would be as long as the token's life, and no shorter interval is named.
    more: {
      intervalMs: 5 * SECOND,
      startDelayMs: 0,
      longestApplyMs: 0,
      clockUncertaintyMs: 0,
      lifetimeMs: 2 * SECOND,
    },
    remedy:
      "No interval is short enough: shorten the start delay, the longest apply or the clock uncertainty.",
  },
  {
    more: { longestApplyMs: 30 * HOUR },
    remedy:
      "No interval is short enough: shorten the start delay, the longest apply or the clock uncertainty.",
  },
])("for $more, which leaves a gap, names changes without a gap: $remedy", ({ more, remedy }) => {
  const settings = { ...USUAL, ...more };
  expect(() => planRotation(settings)).toThrow(
    expect.objectContaining({
      code: "ERR_SCHEDULE_GAP",
      problem: `The schedule leaves a gap: ${arithmetic(settings)}.`,
      remedy,
    }),
  );
});

test.each([
  { pushed: false, needed: 12 * HOUR + 55 * MINUTE, refused: /^The schedule leaves a gap: / },
  { pushed: true, needed: 13 * HOUR + 30 * MINUTE, refused: /gap for a token that is pushed: / },
])("a lifetime must be longer than the sum, by a millisecond (pushed: $pushed)", (row) => {
  const { pushed, needed, refused } = row;
  const plan = pushed ? planPushedRotation : planRotation;
  const enough = { ...USUAL, lifetimeMs: needed + 1 };
  expect(() => plan({ ...USUAL, lifetimeMs: needed })).toThrow(
    expect.objectContaining({ problem: expect.stringMatching(refused) }),
  );
  expect(plan(enough)).toMatchObject(pushed ? { rotateEveryMs: 1 } : { settings: enough });
  expect(arithmetic({ ...USUAL, lifetimeMs: needed }, pushed)).toContain(", not less than a token");
  expect(arithmetic(enough, pushed)).toContain(", less than a token");
});

test("the named changes leave no gap, and a minute more does", () => {
  const nearest = 11 * HOUR + 32 * MINUTE;
  expect(() => planRotation({ ...USUAL, intervalMs: nearest })).not.toThrow();
  expect(() => planRotation({ ...USUAL, intervalMs: nearest + MINUTE })).toThrow(/leaves a gap/);
});

test("a schedule may be tight enough for a token in the state, and not for one that is pushed", () => {
  const tight = { ...USUAL, intervalMs: 11 * HOUR + 30 * MINUTE };
  expect(planRotation(tight).pushed).toBeUndefined();
  expect(() => planPushedRotation(tight)).toThrow(
    expect.objectContaining({
      problem: `The schedule leaves a gap for a token that is pushed: ${arithmetic(tight, true)}.`,
      remedy: "Run at least every 11h14m, or tolerate no missed run.",
    }),
  );
});
