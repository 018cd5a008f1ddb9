import { Cron } from "croner";
import * as fc from "fast-check";
import { formatExact } from "../../../lib/tokens";
import { longestInterval } from "../../../lib/tokens/rotation/calendar";
import { parseCron } from "../../../lib/tokens/rotation/cron";
import { fuzz } from "../../support/fuzz";
import { timesBetween } from "./times-between";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

test.each([
  ["0 */6 * * *", 6 * HOUR],
  ["* * * * *", 60_000],
  // Steps begin anew each day: 0, 7, 14, 21 and then 0.
  ["0 */7 * * *", 7 * HOUR],
  ["0 9-17 * * *", 16 * HOUR],
  ["0,20 3 * * *", 24 * HOUR - 20 * 60_000],
  // From Friday's last run to Monday's first.
  ["30 6,18 * * MON-FRI", 60 * HOUR],
  ["0 0 * * 7", 7 * DAY],
  ["0 0 31 * *", 61 * DAY],
  ["0 0 1 * *", 31 * DAY],
  ["0 0 30 * *", 60 * DAY],
  // 2096-02-29 to 2104-02-29: 2100 is no leap year.
  ["0 0 29 2 *", 2921 * DAY],
  // Either of both days.
  ["0 0 13 * FRI", 7 * DAY],
])("the longest interval of %s", (expression, longest) => {
  expect(formatExact(longestInterval(parseCron(expression)))).toBe(formatExact(longest));
});

test.each([
  "",
  "* * * *",
  "0 0 * * * *",
  "60 * * * *",
  "0 24 * * *",
  "0 22-2 * * *",
  "5/15 * * * *",
  "0 0 L * *",
  "0 0 1W * *",
  "0 0 * * 1#2",
  "? * * * *",
  "@daily",
  "0 0 30 2 *",
  "0 0 31 2,4,6,9,11 *",
  "0 0 */2 * 1",
  "0 0 * * FOO",
  "0 0 * * \u001b[31m",
  `${"0,".repeat(200)}0 * * * *`,
  undefined,
  null,
  6,
])("%j is refused", (expression) => {
  const error = catchError(() => parseCron(expression));
  expect(error).toMatchObject({ code: "ERR_SCHEDULE_INVALID" });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: nothing that a terminal obeys
  expect(String(error)).not.toMatch(/[\u0000-\u001f]/);
});

const field = (low: number, high: number) =>
  fc.oneof(
    fc.constant("*"),
    fc.integer({ min: low, max: high }).map(String),
    fc
      .uniqueArray(fc.integer({ min: low, max: high }), { minLength: 1, maxLength: 4 })
      .map((values) => values.join(",")),
    fc
      .tuple(fc.integer({ min: low, max: high }), fc.integer({ min: low, max: high }))
      .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
    fc.integer({ min: 1, max: high }).map((step) => `${low}-${high}/${step}`),
  );

test.each([
  ["0 0 0 * *", "0 is no day of the month"],
  ["0 0 32 * *", "32 is no day of the month"],
  ["0 0 * 13 *", "13 is no month"],
  ["0 0 * 0,1 *", "0 is no month"],
  ["60 * * * *", "60 is no minute"],
  ["0 22-24/2 * * *", "24 is no hour"],
  ["0 0 * * 8", "8 is no day of the week"],
  ["0 0 */6 * * *", "it has 6 fields"],
  ["0 0 * *", "it has 4 fields"],
  ["", "it is empty"],
  ["@daily", '"@daily" is a name that only some schedulers know'],
  ["0 0 L * *", '"L" is no day of the month'],
  ["0 0 * * MON#1", '"MON#1" is no day of the week'],
  ["0 0 * * Monday", '"Monday" is no day of the week'],
  ["H * * * *", '"H" is no minute'],
  ["0 0 MON * *", '"MON" is no day of the month'],
  ["0 0 * MON *", '"MON" is no month'],
  ["0 0 * * 1-XYZ", '"XYZ" is no day of the week'],
  ["0 */6/2 * * *", "cannot be read"],
  ["0 1--3 * * *", "cannot be read"],
  ["0 **/2 * * *", "cannot be read"],
  ["0 *-5 * * *", "cannot be read"],
  ["0 1-2-3 * * *", "cannot be read"],
  ["0 0 * * MON-", "cannot be read"],
  ["0 0 */L * *", '"L" is no step'],
  ["0 0 * * 1/2#1", '"2#1" is no step'],
  ["0 0\n* * *", "it has 4 fields"],
  ["0 0 15W * *", '"15W" is no day of the month'],
  ["0 0 * * FRI-SUN", '"FRI-SUN" goes backwards'],
  ["0 0 * * FRI-MON", '"FRI-MON" goes backwards'],
])("%j is refused with what is wrong in it: %s", (expression, why) => {
  expect(() => parseCron(expression)).toThrow(why);
});

test("the times of an expression are those that croner itself gives, and none is further from the next than the longest interval", () => {
  fc.assert(
    fc.property(
      fc.tuple(field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 6)),
      fc.integer({ min: Date.UTC(2020, 0, 1) / 60_000, max: Date.UTC(2110, 0, 1) / 60_000 }),
      (fields, minute) => {
        const expression = fields.join(" ");
        const calendar = parseCron(expression);
        const from = minute * 60_000;
        const own = [...take(timesBetween(calendar, from + 60_000, from + 800 * DAY), 8)];
        const theirs = new Cron(expression, { mode: "5-part", timezone: "UTC" }).nextRuns(
          own.length,
          new Date(from),
        );
        expect(own.map(iso)).toEqual(theirs.map((time) => time.toISOString()));
        const longest = longestInterval(calendar);
        for (const [index, time] of own.entries())
          if (index > 0) expect(time - (own[index - 1] ?? 0)).toBeLessThanOrEqual(longest);
      },
    ),
    fuzz(200),
  );
});

function* take<T>(items: Iterable<T>, count: number): Generator<T> {
  let taken = 0;
  for (const item of items) {
    if (taken++ === count) return;
    yield item;
  }
}

const iso = (time: number) => new Date(time).toISOString();

function catchError(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}
