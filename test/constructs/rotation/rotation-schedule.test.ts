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
  for (const use of ["pushed", undefined] as const)
    expect(() => gap._for(use)).toThrow("[ERR_SCHEDULE_GAP]");
  expect(tight._for()).toBe(tight);
  expect(() => every("6h", null as never)).toThrow(TypeError);
});

const text = new TerraformVariable(testStack(), "interval", {});
const options = (given: object) => every("6h", given as RotationScheduleOptions);

test.each<[what: string, schedule: RotationSchedule]>([
  ["a gap", cron("0 6,18 * * MON-FRI")],
  ["an interval that is a word", every("often")],
  ["a number", every(6 as never)],
  ["no interval", every("0s")],
  ["a word as startDelay", options({ startDelay: "soon" })],
  ["a word as longestApply", options({ longestApply: "long" })],
  ["clockUncertainty without a unit", options({ clockUncertainty: "5" })],
  ["no lifetime", options({ lifetime: "0s" })],
  ["a negative number", options({ missedRuns: -1 })],
  ["a CDK token", every(text.stringValue)],
  ["an expression", every("${var.interval}")],
  ["an expression in cron", cron(`0 ${text.stringValue} * * *`)],
  ["an expression as lifetime", options({ lifetime: text.stringValue })],
  ["an expression as missedRuns", options({ missedRuns: text.numberValue })],
])("%s is the problem of a schedule", (_what, { problem, rotateWhenRemaining }) => {
  expect(problem).toMatchSnapshot();
  expect(rotateWhenRemaining).toBeUndefined();
});
