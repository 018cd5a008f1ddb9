import { Cron } from "croner";
import { IamTokensError } from "../error";
import { quote } from "../printable";
import { type Calendar, isEmpty } from "./calendar";

/**
 * One of the five fields: what a value of it is called, the least and the greatest of them, a time
 * of a value, and the names that stand for values, from the least on.
 */
const field = (
  value: string,
  least: number,
  greatest: number,
  timeOf: (value: number) => number,
  names: readonly string[] = [],
) => ({ value, least, greatest, timeOf, names });
type Field = ReturnType<typeof field>;

const MONTHS = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ");
const DAYS = "SUN MON TUE WED THU FRI SAT".split(" ");
const FIELDS: readonly Field[] = [
  field("minute", 0, 59, (value) => Date.UTC(2026, 0, 1, 0, value)),
  field("hour", 0, 23, (value) => Date.UTC(2026, 0, 1, value)),
  field("day of the month", 1, 31, (value) => Date.UTC(2026, 0, value)),
  field("month", 1, 12, (value) => Date.UTC(2026, value - 1, 1), MONTHS),
  // 2026-01-04 was a Sunday, which is 0 and 7.
  field("day of the week", 0, 7, (value) => Date.UTC(2026, 0, 4 + value), DAYS),
];
const ALLOWED =
  'five fields (minute, hour, day of month, month, day of week) of numbers, names, "*", ",", "-" and "/": what every scheduler reads in the same way';
const MAX_LENGTH = 200;

/**
 * The calendar of a cron expression, in UTC. Only what all schedulers read in one way is taken: the
 * five fields of POSIX with names and steps, and none of the extensions (`L`, `W`, `#`, `?`,
 * `@daily`, seconds).
 *
 * @throws ERR_SCHEDULE_INVALID
 * @example parseCron("0 0-18/6 * * MON-FRI")
 */
export function parseCron(expression: unknown): Calendar {
  if (typeof expression !== "string") {
    throw refusal(
      `The cron expression is a value of type ${expression === null ? "null" : typeof expression}.`,
    );
  }
  const shown = quote(expression);
  const fields = expression.trim().split(/[ \t]+/);
  const mistake = mistakeIn(expression, fields);
  if (mistake !== undefined)
    throw refusal(`The cron expression ${shown} cannot be read: ${mistake}.`);
  const [, , day = "", , weekday = ""] = fields;
  // With both day fields restricted a run is due when EITHER matches. Whether "*/2" restricts,
  // schedulers do not agree on.
  if (day !== "*" && weekday !== "*" && (day.startsWith("*") || weekday.startsWith("*"))) {
    throw refusal(
      `${shown} restricts both day fields, one of them by a step over "*", which schedulers read in different ways.`,
    );
  }
  const [minutes = [], hours = [], days, months = [], weekdays] = FIELDS.map((field, index) =>
    valuesOf(field, fields[index] ?? "", index, shown),
  );
  const calendar: Calendar = {
    minutes,
    hours,
    days: day === "*" ? undefined : days,
    months,
    weekdays: weekday === "*" ? undefined : weekdays,
  };
  if (isEmpty(calendar)) throw refusal(`${shown} never fires: there is no such day.`);
  return calendar;
}

function mistakeIn(expression: string, fields: readonly string[]): string | undefined {
  if (expression.length > MAX_LENGTH)
    return `it has ${expression.length} characters, and may have ${MAX_LENGTH}`;
  const [first = ""] = fields;
  if (first === "") return "it is empty";
  if (first.startsWith("@")) return `${quote(first)} is a name that only some schedulers know`;
  if (fields.length !== FIELDS.length)
    return `it has ${fields.length} ${fields.length === 1 ? "field" : "fields"}`;
  return FIELDS.map((field, index) => mistakeInField(fields[index] ?? "", field)).find(
    (found) => found !== undefined,
  );
}

/**
 * What croner's own messages do not say, or in the numbers that it counts with. How large a step
 * is, and what is missing, is left to it.
 */
function mistakeInField(text: string, field: Field): string | undefined {
  for (const part of text.split(",")) {
    const [range = "", step] = part.split("/");
    if (step !== undefined && !/^\d*$/.test(step)) return `${quote(step)} is no step`;
    const ends = range.split("-").filter((end) => end !== "" && end !== "*");
    const values = ends.map((end) => numberOf(end, field));
    const wrong = ends.find((_end, index) => values[index] === undefined);
    if (wrong !== undefined)
      return `${/^\d+$/.test(wrong) ? wrong : quote(wrong)} is no ${field.value}`;
    const [from = 0, to = from] = values;
    if (from > to) return `${quote(range)} goes backwards`;
    // To croner it is 7 there, so that SUN-SUN is all days; to others it is 0, and that is Sunday.
    if (/-SUN$/i.test(range)) return `${quote(range)} ends with what is 0 to some, and 7 to others`;
  }
  return undefined;
}

function numberOf(text: string, { least, greatest, names }: Field): number | undefined {
  const name = names.indexOf(text.toUpperCase());
  const value = name >= 0 ? name + least : /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= greatest ? value : undefined;
}

/** The values that the text of a field stands for. */
function valuesOf({ least, greatest, timeOf }: Field, text: string, index: number, shown: string) {
  const cron = parsed(FIELDS.map((_, each) => (each === index ? text : "*")).join(" "), shown);
  const values = Array.from({ length: greatest - least + 1 }, (_, offset) => least + offset);
  return values.filter((value) => cron.match(new Date(timeOf(value))));
}

function parsed(pattern: string, shown: string): Cron {
  try {
    return new Cron(pattern, { mode: "5-part", timezone: "UTC", paused: true });
  } catch (error) {
    const why =
      error instanceof Error
        ? error.message.replace(/^CronPattern: /, "").replace(/\.$/, "")
        : "it is malformed";
    throw refusal(`The cron expression ${shown} cannot be read: ${why}.`);
  }
}

function refusal(problem: string): IamTokensError {
  return new IamTokensError("ERR_SCHEDULE_INVALID", problem, {
    allowed: ALLOWED,
    remedy: 'Write it as for cron, in UTC: "0 */6 * * *".',
  });
}
