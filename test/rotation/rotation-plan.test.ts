import { arithmetic, type Recipe, rotationPlanOf } from "../../lib/rotation/rotation-plan";
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

/** Hours and minutes; `null` where the schedule leaves a gap. */
test("the numbers of a schedule, by recipe", () => {
  const rows: readonly (readonly [
    hours: number,
    missed: number,
    Partial<Record<Recipe, string | null>>,
  ])[] = [
    [6, 1, { readBack: "12:50", inState: "18:50", pushed: "4:47:30", stored: "10:30" }],
    [1, 1, { readBack: "2:50", inState: "13:50", pushed: "9:47:30", stored: "20:30" }],
    [0.25, 1, { readBack: "1:20", inState: "13:05", pushed: "10:32:30", stored: "22:00" }],
    [8, 1, { readBack: "16:50", inState: "20:50", pushed: "2:47:30", stored: "6:30" }],
    [6, 2, { readBack: "18:50", inState: "22:50", pushed: "0:53:20", stored: "4:30" }],
    // Without a bad run, it does not matter whether a push is repeated.
    [6, 0, { readBack: "6:50", inState: "6:50", pushed: "16:30", stored: "16:30" }],
    [11.5, 1, { readBack: "23:50", inState: null, pushed: null, stored: null }],
    [11, 1, { readBack: "22:50", inState: "23:50", pushed: null, stored: "0:30" }],
  ];
  for (const [hours, missedRuns, expected] of rows) {
    const settings = { ...USUAL, intervalMs: hours * HOUR, missedRuns };
    for (const [recipe, text] of Object.entries(expected) as [Recipe, string | null][]) {
      const plan = () => rotationPlanOf(settings, recipe);
      if (text === null) {
        expect(plan).toThrow(expect.objectContaining({ code: "ERR_SCHEDULE_GAP" }));
        continue;
      }
      const [hour = 0, minute = 0, second = 0] = text.split(":").map(Number);
      const number = hour * HOUR + minute * MINUTE + second * SECOND;
      const name = /pushed|stored/.test(recipe) ? "rotateEveryMs" : "rotateWhenRemainingMs";
      expect([recipe, plan()[name]]).toEqual([recipe, number]);
      expect(plan().minRemainingMs).toBe(23 * HOUR + 55 * MINUTE);
    }
  }
});

const OTHERS = "15m (start delay) + 30m (longest apply) + 2 x 5m (clock uncertainty)";

test.each<[number, Recipe, string]>([
  [
    1,
    "readBack",
    `2 x 6h (the interval) + ${OTHERS} = 12h55m (1 bad run included), less than a token's lifetime of 24h`,
  ],
  [
    0,
    "inState",
    `6h (the interval) + ${OTHERS} = 6h55m (no run may be bad), less than a token's lifetime of 24h`,
  ],
  [
    3,
    "inState",
    `4 x (6h (the interval) + ${OTHERS}) = 27h40m (3 bad runs included), not less than a token's lifetime of 24h`,
  ],
  [
    1,
    "pushed",
    `2 x (6h (the interval) + ${OTHERS}) + 30m + 5m (opened before it is noted) = 14h25m (1 bad run included), less than a token's lifetime of 24h`,
  ],
])("the sum with %d bad runs (%s) is written out", (missedRuns, recipe, sum) => {
  expect(arithmetic({ ...USUAL, missedRuns }, recipe)).toBe(sum);
});

const EXACT = { startDelayMs: 0, longestApplyMs: 0, clockUncertaintyMs: 0 };
const NO_INTERVAL =
  "No interval is short enough: shorten the start delay, the longest apply or the clock uncertainty, or give the lifetime of the service's tokens.";
const LOOK =
  "or let each plan look at the store (stored_token_wo; storedToken of a TokenRotation).";

test("a schedule that leaves a gap names changes without one", () => {
  const rows: readonly (readonly [Recipe, Partial<RotationSettings>, string])[] = [
    ["readBack", { missedRuns: 3 }, "Run at least every 5h46m, or tolerate 2 missed runs."],
    [
      "readBack",
      { intervalMs: 12 * HOUR },
      "Run at least every 11h32m, or tolerate no missed run.",
    ],
    ["readBack", { intervalMs: 24 * HOUR, missedRuns: 0 }, "Run at least every 23h4m."],
    [
      "readBack",
      { ...EXACT, intervalMs: 20 * SECOND, missedRuns: 6, lifetimeMs: 70 * SECOND },
      "Run at least every 9s, or tolerate 2 missed runs.",
    ],
    // A minute is named as one.
    [
      "inState",
      { ...EXACT, intervalMs: 2 * MINUTE, missedRuns: 0, lifetimeMs: MINUTE + 1 },
      "Run at least every 1m.",
    ],
    // 2 x 1s would be as long as the token's life, and no shorter interval is named.
    ["inState", { ...EXACT, intervalMs: 5 * SECOND, lifetimeMs: 2 * SECOND }, NO_INTERVAL],
    ["inState", { longestApplyMs: 30 * HOUR }, NO_INTERVAL],
    ["inState", { missedRuns: 3 }, "Run at least every 5h4m, or tolerate 2 missed runs."],
    [
      "pushed",
      { intervalMs: 11 * HOUR },
      `Run at least every 10h47m, or tolerate no missed run, ${LOOK}`,
    ],
    ["pushed", { missedRuns: 3 }, "Run at least every 4h56m, or tolerate 2 missed runs."],
    ["stored", { missedRuns: 3 }, "Run at least every 5h37m, or tolerate 2 missed runs."],
  ];
  for (const [recipe, more, remedy] of rows) {
    const settings = { ...USUAL, ...more };
    const words = {
      readBack: "",
      inState: " for a token whose consumers are not read back",
      pushed: " for a token that is pushed",
      stored: " for a token that is pushed and looked at in its store",
    };
    expect(() => rotationPlanOf(settings, recipe)).toThrow(
      expect.objectContaining({
        code: "ERR_SCHEDULE_GAP",
        problem: `The schedule leaves a gap${words[recipe]}: ${arithmetic(settings, recipe)}.`,
        remedy,
      }),
    );
  }
});

test("the named changes leave no gap, and a minute more does", () => {
  const nearest = 10 * HOUR + 47 * MINUTE;
  expect(() => rotationPlanOf({ ...USUAL, intervalMs: nearest }, "pushed")).not.toThrow();
  expect(() => rotationPlanOf({ ...USUAL, intervalMs: nearest + MINUTE }, "pushed")).toThrow(
    /leaves a gap/,
  );
});

test.each<[Recipe, number]>([
  ["readBack", 12 * HOUR + 55 * MINUTE],
  ["inState", 13 * HOUR + 50 * MINUTE],
  ["pushed", 14 * HOUR + 25 * MINUTE],
  ["stored", 13 * HOUR + 30 * MINUTE],
])("as %s, a lifetime must be longer than the sum, by a millisecond a stage", (recipe, needed) => {
  const tight = { ...USUAL, lifetimeMs: needed };
  const enough = { ...USUAL, lifetimeMs: needed + 2 };
  expect(() => rotationPlanOf(tight, recipe)).toThrow(/not less than a token/);
  expect(rotationPlanOf(enough, recipe).rotateEveryMs).toBeGreaterThan(0);
  expect(arithmetic(enough, recipe)).toContain(", less than a token");
});

test("what is not set has its default", () => {
  const rows: readonly (readonly [object, Partial<RotationSettings>])[] = [
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
  ];
  for (const [options, changed] of rows) {
    expect(toRotationSettings(6 * HOUR, options)).toEqual({ ...USUAL, ...changed });
  }
});

const NUMBER = {
  code: "ERR_SCHEDULE_INVALID",
  allowed: "a whole number from 0 to 1000",
  remedy: "Say how many runs may be missed, or fail, between two successful pushes.",
};
const TEXT = { code: "ERR_DURATION_INVALID", allowed: 'a string such as "30m" or "6h"' };
const ABOVE_ZERO =
  'a number with a unit (d, h, m, s, ms), also joined, above zero and at most 366d: "2h", "90m", "1h30m"';
const DURATION = { code: "ERR_DURATION_INVALID", allowed: ABOVE_ZERO };

test("a wrong setting is refused, by the name that the user has written", () => {
  const rows: readonly (readonly [Readonly<Record<string, unknown>>, string, object])[] = [
    [{ missedRuns: -1 }, "--missedRuns is -1.", NUMBER],
    [{ missedRuns: 1001 }, "--missedRuns is 1001.", NUMBER],
    [{ missedRuns: 1.5 }, "--missedRuns is 1.5.", NUMBER],
    [{ missedRuns: "1" }, '--missedRuns is "1".', NUMBER],
    [{ missedRuns: true }, "--missedRuns is a value of type boolean.", NUMBER],
    [{ startDelay: 5 }, "--startDelay is a value of type number.", TEXT],
    [
      { startDelay: "soon" },
      "--startDelay: the given text is not a duration.",
      { ...DURATION, allowed: `${ABOVE_ZERO}; or "0s"` },
    ],
    [{ lifetime: "0s" }, "--lifetime: the given text is not a duration.", DURATION],
    [{ interval: null }, "The interval is a value of type null.", TEXT],
    [{ interval: "0s" }, "The interval: the given text is not a duration.", DURATION],
  ];
  for (const [given, problem, more] of rows) {
    const { interval = "1h", ...options } = given;
    expect(() => toRotationSettings(toInterval(interval), options, (name) => `--${name}`)).toThrow(
      expect.objectContaining({ problem, ...more }),
    );
  }
});
