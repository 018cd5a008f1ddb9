import { Cron } from "croner";
import * as fc from "fast-check";
import { longestInterval } from "../../lib/rotation/calendar";
import { parseCron } from "../../lib/rotation/cron";
import { formatExact } from "../../lib/tokens";
import { expectOften } from "../support/expect-often";
import { fuzz } from "../support/fuzz";
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
  ["0 0 */2 * *", 2 * DAY],
  ["0 0 1 * *", 31 * DAY],
  ["0 0 30 * *", 60 * DAY],
  // 2096-02-29 to 2104-02-29: 2100 is not a leap year.
  ["0 0 29 2 *", 2921 * DAY],
  // Either of both days.
  ["0 0 13 * FRI", 7 * DAY],
])("the longest interval of %s", (expression, longest) => {
  expect(formatExact(longestInterval(parseCron(expression)))).toBe(formatExact(longest));
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
  ["0 0 0 * *", "0 is not a valid day of the month"],
  ["0 0 32 * *", "32 is not a valid day of the month"],
  ["0 0 * 13 *", "13 is not a valid month"],
  ["0 0 * 0,1 *", "0 is not a valid month"],
  ["60 * * * *", "60 is not a valid minute"],
  ["0 22-2 * * *", '"22-2" goes backwards'],
  ["0 22-24/2 * * *", "24 is not a valid hour"],
  ["0 0 * * 8", "8 is not a valid day of the week"],
  ["0 0 */6 * * *", "it has 6 fields"],
  ["0 0 * *", "it has 4 fields"],
  ["", "it is empty"],
  ["@daily", '"@daily" is a name that only some schedulers know'],
  ["0 0 L * *", '"L" is not a valid day of the month'],
  ["0 0 * * MON#1", '"MON#1" is not a valid day of the week'],
  ["0 0 * * Monday", '"Monday" is not a valid day of the week'],
  ["H * * * *", '"H" is not a valid minute'],
  ["0 0 MON * *", '"MON" is not a valid day of the month'],
  ["0 0 * MON *", '"MON" is not a valid month'],
  ["0 0 * * 1-XYZ", '"XYZ" is not a valid day of the week'],
  ["daily", "it has 1 field."],
  ["@every 5m", '"@every 5m" is a name that only some schedulers know'],
  ["0 */6/2 * * *", '"6/2" is not a valid step'],
  ["0 */ * * *", '"" is not a valid step'],
  ["0 1-5/a2 * * *", '"a2" is not a valid step'],
  ["0 1--3 * * *", '"-3" is not a valid hour'],
  ["0 **/2 * * *", '"**" is not a valid hour'],
  ["0 *-5 * * *", '"*" is not a valid hour'],
  ["0 -5 * * *", '"" is not a valid hour'],
  ["0 1-2-3 * * *", '"2-3" is not a valid hour'],
  ["0 0 * * MON-", '"" is not a valid day of the week'],
  ["0 1,,2 * * *", '"" is not a valid hour'],
  ["+5 * * * *", '"+5" is not a valid minute'],
  ["1e1 * * * *", '"1e1" is not a valid minute'],
  ["8a * * * *", '"8a" is not a valid minute'],
  ["a8 * * * *", '"a8" is not a valid minute'],
  ["*/0 * * * *", '"*/0 * * * *" cannot be read: "0" is not a valid step.'],
  ["*/61 * * * *", '"61" is not a valid step'],
  ["0 0 * * */8", '"8" is not a valid step'],
  ["0 0 1-31/32 * *", '"32" is not a valid step'],
  ["5/15 * * * *", 'cannot be read: "5/15" has a step without a range.'],
  [`${"0,".repeat(96)}0 * * * *`, "it has 201 characters, and may have 200"],
  ["0 0 30 2 *", '"0 0 30 2 *" never fires: there is no such day.'],
  ["0 0 31 2,4,6,9,11 *", "never fires"],
  ["0 0 * * \u001b[31m", '"\\u001b[31m" is not a valid day of the week'],
  [
    "0 0 1 * */2",
    '"0 0 1 * */2" restricts both day fields, one of them by a step over "*", which schedulers read in different ways.',
  ],
  ["0 0 */2 * 1", '"0 0 */2 * 1" restricts both day fields'],
  ["0 0 */L * *", '"L" is not a valid step'],
  ["0 0 * * 1/2#1", '"2#1" is not a valid step'],
  ["0 0\n* * *", "it has 4 fields"],
  ["0 0 15W * *", '"15W" is not a valid day of the month'],
  ["0 0 * * FRI-SUN", '"FRI-SUN" goes backwards'],
  ["0 0 * * FRI-MON", '"FRI-MON" goes backwards'],
  // Found by a property below: some take it for all days.
  ["* * 1 * 0-SUN/1,SUN", '"0-SUN" ends with a day that is 0 to some'],
  ["0 0 * * sun-sun", '"sun-sun" ends with a day that is 0 to some'],
])("%j is refused with what is wrong in it: %s", (expression, why) => {
  expect(() => parseCron(expression)).toThrow(
    expect.objectContaining({
      code: "ERR_SCHEDULE_INVALID",
      problem: expect.stringContaining(why),
    }),
  );
});

test.each([
  { value: undefined, type: "undefined" },
  { value: null, type: "null" },
  { value: 6, type: "number" },
])("what is not a string is refused with its type: $type", ({ value, type }) => {
  expect(() => parseCron(value)).toThrow(
    expect.objectContaining({
      problem: `The cron expression is a value of type ${type}.`,
      allowed: expect.stringContaining("five fields (minute, hour, day of month, month"),
      remedy: 'Write it as for cron, in UTC: "0 */6 * * *".',
    }),
  );
});

test("an expression has at most 200 characters", () => {
  const longest = `${"0,".repeat(95)}00 * * * *`;
  expect(longest).toHaveLength(200);
  expect(parseCron(longest).minutes).toEqual([0]);
});

test("the times of an expression are croner's own, at most the longest interval apart", () => {
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
        expectOften(own.map(iso)).toEqual(theirs.map((time) => time.toISOString()));
        const longest = longestInterval(calendar);
        for (const [index, time] of own.entries())
          if (index > 0) expectOften(time - (own[index - 1] ?? 0)).toBeLessThanOrEqual(longest);
      },
    ),
    fuzz(100),
  );
});

/** Texts of a field, each with the values that POSIX, with names and steps, has it stand for. */
const meant = (low: number, high: number, names: readonly string[] = []) => {
  const value = fc.integer({ min: low, max: high });
  const spelled = (each: number, how: number) =>
    how % 3 === 0 && names[each - low] !== undefined
      ? [names[each - low], names[each - low]?.toLowerCase()][how % 2]
      : `${how % 3 === 1 && each < 10 ? "0" : ""}${each}`;
  const steps = (from: number, to: number, step: number) =>
    Array.from({ length: to - from + 1 }, (_, at) => from + at).filter(
      (each) => (each - from) % step === 0,
    );
  const item = fc
    .tuple(
      value,
      value,
      fc.nat({ max: 5 }),
      fc.option(fc.integer({ min: 1, max: 7 }), { nil: undefined }),
    )
    .map(([one, other, how, step]): readonly [string, readonly number[]] => {
      const [from, to] = [Math.min(one, other), Math.max(one, other)];
      if (step === undefined && from === to) return [`${spelled(from, how)}`, [from]];
      const tail = step === undefined ? "" : `/${step}`;
      return [
        `${spelled(from, how)}-${to === 0 ? to : spelled(to, how + 1)}${tail}`,
        steps(from, to, step ?? 1),
      ];
    });
  return fc.oneof(
    fc.constant(["*", undefined] as const),
    fc
      .array(item, { minLength: 1, maxLength: 3 })
      .map(
        (items) =>
          [items.map(([text]) => text).join(","), items.flatMap(([, each]) => each)] as const,
      ),
  );
};
const sorted = (values: readonly number[]) => [...new Set(values)].sort((a, b) => a - b);
const all = (low: number, high: number) =>
  Array.from({ length: high - low + 1 }, (_, at) => low + at);

test("an expression is what POSIX has it mean", () => {
  const months = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ");
  const days = "SUN MON TUE WED THU FRI SAT".split(" ");
  const blanks = fc.constantFrom(" ", "  ", "\t");
  fc.assert(
    fc.property(
      fc.tuple(meant(0, 59), meant(0, 23), meant(1, 31), meant(1, 12, months), meant(0, 6, days)),
      blanks,
      (given, blank) => {
        const [minutes, hours, day, month, weekday] = given.map(([, values]) => values);
        const expression = given.map(([text]) => text).join(blank);
        const fires =
          day === undefined ||
          weekday !== undefined ||
          (month ?? all(1, 12)).some((each) =>
            day.some((one) => one <= new Date(Date.UTC(2024, each, 0)).getUTCDate()),
          );
        if (!fires) {
          expect(() => parseCron(expression)).toThrow("never fires");
          return;
        }
        const calendar = parseCron(expression);
        expectOften({
          ...calendar,
          days: calendar.days && sorted(calendar.days),
          weekdays: calendar.weekdays && sorted(calendar.weekdays.map((each) => each % 7)),
        }).toEqual({
          minutes: sorted(minutes ?? all(0, 59)),
          hours: sorted(hours ?? all(0, 23)),
          days: day && sorted(day),
          months: sorted(month ?? all(1, 12)),
          weekdays: weekday && sorted(weekday),
        });
      },
    ),
    fuzz(50),
  );
});

// Found by the property below.
test("blanks and newlines around an expression are not part of it", () => {
  expect(parseCron("\t0 0 3 9 0\n")).toEqual(parseCron("0 0 3 9 0"));
});

test("any string is an expression that croner reads as well, or refused without commands for a terminal", () => {
  const part = fc.constantFrom(
    ..."0123456789*,-/ LW#?@H\t\n",
    "MON",
    "jan",
    "*/",
    " * ",
    "\u001b",
    "FRI-",
    "1-5",
  );
  const text = fc.oneof(
    fc.array(part, { maxLength: 12 }).map((parts) => parts.join("")),
    fc
      .array(fc.array(part, { minLength: 1, maxLength: 3 }), { minLength: 5, maxLength: 5 })
      .map((fields) => fields.map((parts) => parts.join("")).join(" ")),
  );
  fc.assert(
    fc.property(text, (expression) => {
      try {
        parseCron(expression);
      } catch (error) {
        expect(error).toMatchObject({ code: "ERR_SCHEDULE_INVALID" });
        expectOften(String(error)).not.toMatch(/\p{Cc}/u);
        return;
      }
      expect(new Cron(expression, { mode: "5-part", timezone: "UTC" }).nextRun()).not.toBeNull();
      expectOften(expression.trim()).toMatch(/^[\d*,/\- \ta-z]+$/i);
      expectOften(expression).not.toMatch(/[LW#?@H]/);
    }),
    fuzz(2000),
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
