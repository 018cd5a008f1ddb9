import { TerraformVariable } from "cdktf";
import { RotationSchedule, type RotationScheduleOptions } from "../../../lib";
import { formatExact } from "../../../lib/tokens";
import { testStack } from "../support";

const { every, cron } = RotationSchedule;

test.each<[what: string, schedule: RotationSchedule, numbers: readonly (string | undefined)[]]>([
  ["the defaults", every("6h"), ["18h50m", "4h47m30s", "23h55m"]],
  [
    "each option is in the sum",
    every("2h", {
      missedRuns: 2,
      startDelay: "1m",
      longestApply: "2m",
      clockUncertainty: "3m",
      lifetime: "10h",
    }),
    // 10h x 2/3 + 2h + 1m + 2m + 3m; (10h - 2m - 3m)/3 - (2h + 1m + 2m + 2 x 3m); 10h - 3m
    ["8h46m", "1h9m20s", "9h57m"],
  ],
  [
    "of a cron expression, the longest pause counts",
    cron("0 */6 * * *"),
    ["18h50m", "4h47m30s", "23h55m"],
  ],
])("%s", (_what, schedule, numbers) => {
  const { rotateEveryMs, minRemainingMs } = schedule._plan("pushed");
  const all = [schedule._plan("inState").rotateWhenRemainingMs, rotateEveryMs, minRemainingMs];
  expect(all.map(formatExact)).toEqual(numbers);
});

test("a schedule is refused where it is used, if it serves another recipe", () => {
  const long = every("11h30m");
  for (const recipe of ["inState", "pushed"] as const)
    expect(() => long._plan(recipe)).toThrow("[ERR_SCHEDULE_GAP]");
  expect(formatExact(every("11h")._plan("inState").rotateWhenRemainingMs)).toBe("23h50m");
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
