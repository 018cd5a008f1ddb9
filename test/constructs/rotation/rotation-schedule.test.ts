import { TerraformVariable } from "cdktf";
import { RotationSchedule, type RotationScheduleOptions } from "../../../lib";
import { testStack } from "../support";

test("the defaults: one missed run, 15 minutes, 30 minutes, 5 minutes, 24 hours", () => {
  const schedule = RotationSchedule.every("6h");
  expect(schedule.problem).toBeUndefined();
  expect(schedule.rotateWhenRemaining).toBe("12h50m");
  expect(schedule.rotateEvery).toBe("10h30m");
  expect(schedule.minRemaining).toBe("23h55m");
});

test("each option is in the sum", () => {
  const options = {
    missedRuns: 2,
    startDelay: "1m",
    longestApply: "2m",
    clockUncertainty: "3m",
    lifetime: "10h",
  };
  const schedule = RotationSchedule.every("2h", options);
  // 3 x 2h + 1m + 2m + 3m; 10h - (3 x 2h + 1m + 2 x 2m + 3 x 3m); 10h - 3m
  expect(schedule.rotateWhenRemaining).toBe("6h6m");
  expect(schedule.rotateEvery).toBe("3h46m");
  expect(schedule.minRemaining).toBe("9h57m");
});

test("a cron expression counts by its longest interval", () => {
  expect(RotationSchedule.cron("0 */6 * * *").rotateWhenRemaining).toBe(
    RotationSchedule.every("6h").rotateWhenRemaining,
  );
  expect(RotationSchedule.cron("0 6,18 * * MON-FRI").problem).toContain("2 x 60h");
});

test("zero is a delay, an apply and an uncertainty", () => {
  const none = { missedRuns: 0, startDelay: "0s", longestApply: "0s", clockUncertainty: "0" };
  expect(RotationSchedule.every("6h", none).rotateWhenRemaining).toBe("6h");
});

test("a schedule with a gap does not throw: it is reported where it is used", () => {
  const schedule = RotationSchedule.every("12h");
  expect(schedule.rotateWhenRemaining).toBeUndefined();
  expect(schedule.rotateEvery).toBeUndefined();
  expect(reported(schedule, "in state")).toEqual([
    expect.stringMatching(/^The schedule leaves a gap: .*\[ERR_SCHEDULE_GAP\]$/),
  ]);
  expect(reported(schedule, "pushed")).toHaveLength(1);
});

test("refuses for a pushed token a schedule that is good only for a token in state", () => {
  const schedule = RotationSchedule.every("11h30m");
  expect(schedule.rotateWhenRemaining).toBe("23h50m");
  expect(schedule.rotateEvery).toBeUndefined();
  expect(reported(schedule, "in state")).toEqual([]);
  expect(reported(schedule, "pushed")).toEqual([
    expect.stringContaining("for a token that is pushed"),
  ]);
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
])("%s: every(%j, %j)", (code, interval, options) => {
  const schedule = RotationSchedule.every(interval as string, options as RotationScheduleOptions);
  expect(schedule.problem).toContain(`[${code}]`);
});

test.each<[string, RotationSchedule]>([
  ["The interval", RotationSchedule.every("often")],
  ["The interval", RotationSchedule.every(6 as never)],
  ["startDelay", RotationSchedule.every("6h", { startDelay: "soon" })],
  ["longestApply", RotationSchedule.every("6h", { longestApply: "long" })],
  ["clockUncertainty", RotationSchedule.every("6h", { clockUncertainty: "5" })],
  ["lifetime", RotationSchedule.every("6h", { lifetime: "0s" })],
])("the problem of a duration begins with its name: %s", (name, { problem }) => {
  expect(problem).toMatch(new RegExp(`^${name}(: "| is ).*\\[ERR_DURATION_INVALID\\]$`));
});

describe("refuses a value that only Terraform knows in a schedule, and describes it in words:", () => {
  const variable = new TerraformVariable(testStack(), "interval", {});
  const text = variable.stringValue;

  test.each<[string, RotationSchedule]>([
    ["The interval", RotationSchedule.every(text)],
    ["The interval", RotationSchedule.every(`${text}h`)],
    ["The interval", RotationSchedule.every("${var.interval}")],
    ["The interval", RotationSchedule.every(variable.value)],
    ["The cron expression", RotationSchedule.cron(text)],
    ["The cron expression", RotationSchedule.cron(`0 ${text} * * *`)],
    ["startDelay", RotationSchedule.every("6h", { startDelay: text })],
    ["longestApply", RotationSchedule.every("6h", { longestApply: text })],
    ["clockUncertainty", RotationSchedule.every("6h", { clockUncertainty: text })],
    ["lifetime", RotationSchedule.cron("0 */6 * * *", { lifetime: text })],
    ["missedRuns", RotationSchedule.every("6h", { missedRuns: variable.numberValue })],
  ])("%s", (name, { problem }) => {
    expect(problem).toMatch(
      new RegExp(`^${name} is a Terraform expression, but a schedule is calculated`),
    );
    expect(problem).toContain("[ERR_SCHEDULE_INVALID]");
    expect(problem).not.toMatch(/TfToken|e\+289/);
  });
});

function reported(schedule: RotationSchedule, use: "in state" | "pushed"): readonly string[] {
  try {
    schedule._for(use);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}
