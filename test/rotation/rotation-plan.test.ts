import { arithmetic, planPushedRotation, planRotation } from "../../lib/rotation/rotation-plan";
import {
  type RotationOptions,
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

const DURATION =
  'a number with a unit (d, h, m, s, ms), also joined, above zero and at most 366d: "2h", "90m", "1h30m"';

test("what is not given has its default", () => {
  expect(toRotationSettings(6 * HOUR, {})).toEqual(USUAL);
});

test.each<{ startDelay: string; startDelayMs: number }>([
  { startDelay: "0", startDelayMs: 0 },
  { startDelay: "0s", startDelayMs: 0 },
  { startDelay: "0.5h", startDelayMs: 30 * MINUTE },
  { startDelay: "10m", startDelayMs: 10 * MINUTE },
])("a delay of $startDelay", ({ startDelay, startDelayMs }) => {
  expect(toRotationSettings(HOUR, { startDelay }).startDelayMs).toBe(startDelayMs);
});

test.each([0, 1000])("%i runs may be missed", (missedRuns) => {
  expect(toRotationSettings(HOUR, { missedRuns }).missedRuns).toBe(missedRuns);
});

test.each<{ options: RotationOptions; problem: string }>([
  { options: { missedRuns: -1 }, problem: "--missedRuns is -1." },
  { options: { missedRuns: 1001 }, problem: "--missedRuns is 1001." },
  { options: { missedRuns: 1.5 }, problem: "--missedRuns is 1.5." },
  { options: { missedRuns: Number.NaN }, problem: "--missedRuns is NaN." },
  { options: { missedRuns: "1" }, problem: '--missedRuns is "1".' },
  { options: { missedRuns: true }, problem: "--missedRuns is a value of type boolean." },
])("$problem: is refused, by the name that the user has written", ({ options, problem }) => {
  expect(() => toRotationSettings(HOUR, options, (option) => `--${option}`)).toThrow(
    expect.objectContaining({
      code: "ERR_SCHEDULE_INVALID",
      problem,
      allowed: "a whole number from 0 to 1000",
      remedy: "Say how many runs in a row may be missed.",
    }),
  );
});

test.each<{ options: RotationOptions; problem: string; allowed: string }>([
  {
    options: { startDelay: 5 },
    problem: "startDelay is a value of type number.",
    allowed: 'a string such as "30m" or "6h"',
  },
  {
    options: { startDelay: "soon" },
    problem: 'startDelay: "soon" is not a duration.',
    allowed: `${DURATION}; or "0s"`,
  },
  {
    options: { lifetime: "0s" },
    problem: 'lifetime: "0s" is not a duration.',
    allowed: DURATION,
  },
])("$problem", ({ options, problem, allowed }) => {
  expect(() => toRotationSettings(HOUR, options)).toThrow(
    expect.objectContaining({ code: "ERR_DURATION_INVALID", problem, allowed }),
  );
});

test.each<{ interval: unknown; problem: string }>([
  { interval: null, problem: "The interval is a value of type null." },
  { interval: undefined, problem: "The interval is a value of type undefined." },
  { interval: "0s", problem: 'The interval: "0s" is not a duration.' },
])("$problem", ({ interval, problem }) => {
  expect(() => toInterval(interval)).toThrow(
    expect.objectContaining({ code: "ERR_DURATION_INVALID", problem }),
  );
});
