import { TerraformVariable } from "cdktf";
import { RotationSchedule, type RotationScheduleOptions } from "../../../lib";
import { testStack } from "../support";

const { every, cron } = RotationSchedule;

test.each<[what: string, schedule: RotationSchedule, numbers: readonly (string | undefined)[]]>([
  ["the defaults", every("6h"), ["12h50m", "10h30m", "23h55m"]],
  [
    "each option is in the sum",
    every("2h", {
      missedRuns: 2,
      startDelay: "1m",
      longestApply: "2m",
      clockUncertainty: "3m",
      lifetime: "10h",
    }),
    // 3 x 2h + 1m + 2m + 3m; 10h - (3 x 2h + 1m + 2 x 2m + 3 x 3m); 10h - 3m
    ["6h6m", "3h46m", "9h57m"],
  ],
  [
    "zero is a delay, an apply and an uncertainty",
    every("6h", { missedRuns: 0, startDelay: "0s", longestApply: "0s", clockUncertainty: "0" }),
    ["6h", "18h", "24h"],
  ],
  [
    "of a cron expression, the longest pause counts",
    cron("0 */6 * * *"),
    ["12h50m", "10h30m", "23h55m"],
  ],
  ["too long for a token that is pushed", every("11h30m"), ["23h50m", undefined, undefined]],
])("%s", (_what, { rotateWhenRemaining, rotateEvery, minRemaining, problem }, numbers) => {
  expect([rotateWhenRemaining, rotateEvery, minRemaining]).toEqual(numbers);
  expect(problem).toBeUndefined();
});

test("a schedule with a gap does not throw: it is refused where it is used", () => {
  const [gap, tight] = [every("12h"), every("11h30m")];
  expect([gap.rotateWhenRemaining, gap.rotateEvery]).toEqual([undefined, undefined]);
  expect(gap.problem).toMatch(/^The schedule leaves a gap: .*\[ERR_SCHEDULE_GAP\]$/);
  for (const use of ["in state", "pushed"] as const)
    expect(() => gap._for(use)).toThrow("[ERR_SCHEDULE_GAP]");
  expect(() => tight._for("pushed")).toThrow("for a token that is pushed");
  expect(tight._for("in state")).toBe(tight);
});

const text = new TerraformVariable(testStack(), "interval", {});
const UNKNOWN = "is a Terraform expression, but a schedule is calculated during synthesis.";
const options = (given: object) => every("6h", given as RotationScheduleOptions);

test.each<[code: string, problem: string, schedule: RotationSchedule]>([
  ["SCHEDULE_GAP", "The schedule leaves a gap: 2 x 60h", cron("0 6,18 * * MON-FRI")],
  ["DURATION_INVALID", 'The interval: "often"', every("often")],
  ["DURATION_INVALID", "The interval is ", every(6 as never)],
  ["DURATION_INVALID", "The interval", every("0s")],
  ["DURATION_INVALID", 'startDelay: "soon"', options({ startDelay: "soon" })],
  ["DURATION_INVALID", "longestApply: ", options({ longestApply: "long" })],
  ["DURATION_INVALID", "clockUncertainty: ", options({ clockUncertainty: "5" })],
  ["DURATION_INVALID", "lifetime: ", options({ lifetime: "0s" })],
  ["SCHEDULE_INVALID", "missedRuns is -1.", options({ missedRuns: -1 })],
  ["SCHEDULE_INVALID", `The interval ${UNKNOWN}`, every(text.stringValue)],
  ["SCHEDULE_INVALID", `The interval ${UNKNOWN}`, every("${var.interval}")],
  ["SCHEDULE_INVALID", `The cron expression ${UNKNOWN}`, cron(`0 ${text.stringValue} * * *`)],
  ["SCHEDULE_INVALID", `lifetime ${UNKNOWN}`, options({ lifetime: text.stringValue })],
  ["SCHEDULE_INVALID", `missedRuns ${UNKNOWN}`, options({ missedRuns: text.numberValue })],
])("%s: %s", (code, problem, schedule) => {
  expect(schedule.problem).toContain(`[ERR_${code}]`);
  expect(schedule.problem?.slice(0, problem.length)).toBe(problem);
  expect(schedule.rotateWhenRemaining).toBeUndefined();
});
