import { RotationSchedule, type RotationScheduleOptions } from "../../lib";
import { Mistakes } from "../../lib/constructs/checks/mistakes";

test("the defaults: one missed run, 15 minutes, 30 minutes, 5 minutes, 24 hours", () => {
  const schedule = RotationSchedule.every("6h");
  expect(schedule.problem).toBeUndefined();
  expect(schedule.rotateWhenRemaining).toBe("12h50m");
  expect(schedule.rotateEvery).toBe("10h30m");
  expect(schedule.minRemaining).toBe("23h55m");
});

test("each option is in the sum", () => {
  const options = { missedRuns: 2, startDelay: "1m", longestApply: "2m", clockUncertainty: "3m", lifetime: "10h" };
  const schedule = RotationSchedule.every("2h", options);
  // 3 x 2h + 1m + 2m + 3m; 10h - (3 x 2h + 1m + 2 x 2m + 3 x 3m); 10h - 3m
  expect(schedule.rotateWhenRemaining).toBe("6h6m");
  expect(schedule.rotateEvery).toBe("3h46m");
  expect(schedule.minRemaining).toBe("9h57m");
});

test("a cron expression is as good as its longest interval", () => {
  expect(RotationSchedule.cron("0 */6 * * *").rotateWhenRemaining).toBe(RotationSchedule.every("6h").rotateWhenRemaining);
  expect(RotationSchedule.cron("0 6,18 * * MON-FRI").problem).toContain("2 x 60h");
});

test("zero is a delay, an apply and an uncertainty", () => {
  const none = { missedRuns: 0, startDelay: "0s", longestApply: "0s", clockUncertainty: "0" };
  expect(RotationSchedule.every("6h", none).rotateWhenRemaining).toBe("6h");
});

test("a schedule with a gap throws nothing: it says so where it is used", () => {
  const schedule = RotationSchedule.every("12h");
  expect(schedule.rotateWhenRemaining).toBeUndefined();
  expect(schedule.rotateEvery).toBeUndefined();
  expect(reported(schedule, "in state")).toEqual([expect.stringMatching(/^The schedule leaves a gap: .*\[ERR_SCHEDULE_GAP\]$/)]);
  expect(reported(schedule, "pushed")).toHaveLength(1);
});

test("one that is good for a token in state and not for one that is pushed is refused there", () => {
  const schedule = RotationSchedule.every("11h30m");
  expect(schedule.rotateWhenRemaining).toBe("23h50m");
  expect(schedule.rotateEvery).toBeUndefined();
  expect(reported(schedule, "in state")).toEqual([]);
  expect(reported(schedule, "pushed")).toEqual([expect.stringContaining("for a token that is pushed")]);
});

test.each<[string, unknown, unknown]>([
  ["ERR_DURATION_INVALID", undefined, undefined],
  ["ERR_DURATION_INVALID", 6, undefined],
  ["ERR_DURATION_INVALID", "0s", undefined],
  ["ERR_DURATION_INVALID", "6h", { startDelay: -1 }],
  ["ERR_DURATION_INVALID", "6h", { lifetime: "0s" }],
  ["ERR_DURATION_INVALID", "6h", { lifetime: null, longestApply: "soon" }],
  ["ERR_SCHEDULE_INVALID", "6h", { missedRuns: -1 }],
  ["ERR_SCHEDULE_INVALID", "6h", { missedRuns: "1" }],
  ["ERR_SCHEDULE_INVALID", "6h", { missedRuns: Number.NaN }],
  ["ERR_SCHEDULE_INVALID", "1ms", undefined],
  ["ERR_SCHEDULE_INVALID", "5m", { lifetime: "366d", missedRuns: 0 }],
  ["ERR_PROP_INVALID", "6h", { longestaply: "1h" }],
  ["ERR_PROP_INVALID", "6h", "1h"],
])("%s: every(%j, %j)", (code, interval, options) => {
  const schedule = RotationSchedule.every(interval as string, options as RotationScheduleOptions);
  expect(schedule.problem).toContain(`[${code}]`);
});

test("it is known by its brand", () => {
  expect(RotationSchedule._is(RotationSchedule.every("6h"))).toBe(true);
  expect(RotationSchedule._is({ rotateWhenRemaining: "6h" })).toBe(false);
  expect(RotationSchedule._is(null)).toBe(false);
});

function reported(schedule: RotationSchedule, use: "in state" | "pushed"): readonly string[] {
  const mistakes = new Mistakes();
  schedule._reportTo(mistakes, use);
  return mistakes.messages;
}
