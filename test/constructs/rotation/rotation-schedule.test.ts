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
    "of a cron expression, the longest pause counts",
    cron("0 */6 * * *"),
    ["12h50m", "10h30m", "23h55m"],
  ],
])("%s", (_what, { rotateWhenRemaining, rotateEvery, minRemaining }, numbers) => {
  expect([rotateWhenRemaining, rotateEvery, minRemaining]).toEqual(numbers);
});

test("a schedule that is too long for a token that is pushed serves one in the state", () => {
  const tight = every("11h30m");
  expect(tight.rotateWhenRemaining).toBe("23h50m");
  expect(() => tight.rotateEvery).toThrow("[ERR_SCHEDULE_GAP]");
  expect(() => tight.minRemaining).toThrow("[ERR_SCHEDULE_GAP]");
});

const text = new TerraformVariable(testStack(), "interval", {});
const options = (given: object) => every("6h", given as RotationScheduleOptions);

test.each<[what: string, schedule: () => RotationSchedule]>([
  ["a gap", () => cron("0 6,18 * * MON-FRI")],
  ["a number", () => every(6 as never)],
  ["a word as startDelay", () => options({ startDelay: "soon" })],
  ["a CDK token", () => every(text.stringValue)],
  ["an expression", () => every("${var.interval}")],
  ["an expression in cron", () => cron(`0 ${text.stringValue} * * *`)],
  ["an expression as lifetime", () => options({ lifetime: text.stringValue })],
  ["an expression as missedRuns", () => options({ missedRuns: text.numberValue })],
])("%s is refused where the schedule is made", (_what, schedule) => {
  expect(schedule).toThrowErrorMatchingSnapshot();
});
