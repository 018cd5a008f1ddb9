import fc from "fast-check";
import { longestPause } from "../../lib/rotation/cron";
import { formatExact } from "../../lib/tokens";
import { expectOften } from "../support/expect-often";
import { anyCharacter, fuzz } from "../support/fuzz";
import { DAY, HOUR, MINUTE } from "./runs";

const NOW = Date.UTC(2026, 0, 15, 10, 30);

test.each([
  ["0 */6 * * *", 6 * HOUR],
  ["* * * * *", MINUTE],
  // Steps begin anew each day: 0, 7, 14, 21 and then 0.
  ["0 */7 * * *", 7 * HOUR],
  ["\t0,20  3 * * *\n", DAY - 20 * MINUTE],
  // From Friday's last run to Monday's first.
  ["30 6,18 * * MON-FRI", 60 * HOUR],
  // A hundred runs a day: the weekend is after the first 400.
  ["*/5 9-17 * * mon-fri", 64 * HOUR - 55 * MINUTE],
  ["0 0 * * 7", 7 * DAY],
  ["0 0 31 * *", 61 * DAY],
  // Either of both days.
  ["0 0 13 * FRI", 7 * DAY],
  // Runs a minute apart, and from the end of June to January: 400 runs and 60 days away.
  ["* * * JAN-JUN *", MINUTE],
  ["0 12 * JAN-JUN *", 185 * DAY],
])("the longest pause of %j", (expression, longest) => {
  expect(formatExact(longestPause(expression, NOW))).toBe(formatExact(longest));
});

test("a pause is looked for in 60 days", () => {
  const july = Date.UTC(2026, 6, 1);
  expect(longestPause("* * * JAN-JUN *", july - 59 * DAY)).toBe(184 * DAY + MINUTE);
  expect(longestPause("* * * JAN-JUN *", july - 61 * DAY)).toBe(MINUTE);
});

const some = (most: number) =>
  fc.uniqueArray(fc.nat({ max: most }), { minLength: 1, maxLength: 4 }).map((all) => all.sort());

test("the longest pause is that of the minutes of three weeks, one by one", () => {
  fc.assert(
    fc.property(some(59), some(23), some(6), fc.nat({ max: DAY }), (minutes, hours, days, at) => {
      const now = Math.floor(at / MINUTE) * MINUTE;
      let [longest, last] = [0, Number.NaN];
      for (let time = now; time < now + 21 * DAY; time += MINUTE) {
        const date = new Date(time);
        if (!minutes.includes(date.getUTCMinutes())) continue;
        if (!hours.includes(date.getUTCHours()) || !days.includes(date.getUTCDay())) continue;
        longest = Math.max(longest, time - last || 0);
        last = time;
      }
      expectOften(longestPause(`${minutes} ${hours} * * ${days}`, now)).toBe(longest);
    }),
    fuzz(50),
  );
});

const unreadable = (expression: string) =>
  `The cron expression ${JSON.stringify(expression)} cannot be read.`;

test.each<[unknown, string]>(
  [
    ...["0 0 0 * *", "60 * * * *", "0 22-2 * * *", "5/15 * * * *", "0 0 * *", "0 0 */6 * * *"],
    ...["", "@daily", "0 0 L * *", "0 0 15W * *", "0 0 * * MON#1", "0 0 ? * *", "H * * * *"],
    ...["* * 1 * +MON", "0 0 * * Monday", "2030-01-01T00:00:00", "0 0 * * *\u001b[31m"],
  ].map((text) => [text, unreadable(text)]),
)("%j is refused", (expression, problem) => {
  expect(() => longestPause(expression, NOW)).toThrow(
    expect.objectContaining({
      code: "ERR_SCHEDULE_INVALID",
      problem,
      allowed: expect.stringMatching(/^five fields: minute \(0-59\), hour/),
      remedy: 'Write it as for cron, in UTC: "0 */6 * * *".',
    }),
  );
});

test("what is no string, never fires or is too long is refused as that", () => {
  const rows: readonly (readonly [unknown, string])[] = [
    [6, "The cron expression is a value of type number."],
    ["0 0 30 2 *", 'The cron expression "0 0 30 2 *" never fires.'],
    [`${"0,".repeat(96)}0 * * * *`, "The cron expression has 201 characters; it may have 200."],
  ];
  for (const [expression, problem] of rows) {
    expect(() => longestPause(expression, NOW)).toThrow(expect.objectContaining({ problem }));
  }
});

test("any string has a pause, or is refused without commands for a terminal", () => {
  const part = fc.oneof(
    fc.constantFrom(..."0123456789*,-/ LW#?@H+", "MON", "jan", "*/", " * ", "1-5"),
    anyCharacter,
  );
  const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(""));
  const five = fc.array(text, { minLength: 5, maxLength: 5 }).map((all) => all.join(" "));
  fc.assert(
    fc.property(fc.oneof(text, five), (expression) => {
      try {
        expectOften(longestPause(expression, NOW)).toBeGreaterThan(0);
      } catch (error) {
        expectOften((error as { code?: unknown }).code).toBe("ERR_SCHEDULE_INVALID");
        expectOften(String(error)).not.toMatch(/\p{Cc}/u);
      }
    }),
    fuzz(1000),
  );
});
