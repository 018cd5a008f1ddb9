import { Cron } from "croner";
import { IamTokensError } from "../error";
import { quote } from "../printable";
import { type Calendar, isEmpty } from "./calendar";

/**
 * One of the five fields: the name of its values, their minimum and maximum, a time for a value,
 * the expression that restricts this field only, and the names that stand for values, from the
 * minimum on.
 */
interface Field {
  readonly value: string;
  readonly least: number;
  readonly greatest: number;
  readonly timeOf: (value: number) => number;
  readonly alone: (text: string) => string;
  readonly names?: readonly string[];
}

const MINUTE: Field = {
  value: "minute",
  least: 0,
  greatest: 59,
  timeOf: (value) => Date.UTC(2026, 0, 1, 0, value),
  alone: (text) => `${text} * * * *`,
};
const HOUR: Field = {
  value: "hour",
  least: 0,
  greatest: 23,
  timeOf: (value) => Date.UTC(2026, 0, 1, value),
  alone: (text) => `* ${text} * * *`,
};
const DAY: Field = {
  value: "day of the month",
  least: 1,
  greatest: 31,
  timeOf: (value) => Date.UTC(2026, 0, value),
  alone: (text) => `* * ${text} * *`,
};
const MONTH: Field = {
  value: "month",
  least: 1,
  greatest: 12,
  timeOf: (value) => Date.UTC(2026, value - 1, 1),
  alone: (text) => `* * * ${text} *`,
  names: "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" "),
};
const WEEKDAY: Field = {
  value: "day of the week",
  least: 0,
  greatest: 7,
  // 2026-01-04 was a Sunday, which is 0 and 7.
  timeOf: (value) => Date.UTC(2026, 0, 4 + value),
  alone: (text) => `* * * * ${text}`,
  names: "SUN MON TUE WED THU FRI SAT".split(" "),
};
const ALLOWED =
  'five fields (minute, hour, day of month, month, day of week) of numbers, names, "*", ",", "-" and "/": what every scheduler reads in the same way';
const MAX_LENGTH = 200;

/**
 * The calendar of a cron expression, in UTC. It accepts only what all schedulers read the same way:
 * the five fields of POSIX with names and steps, and none of the extensions (`L`, `W`, `#`, `?`,
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
  const quoted = quote(expression);
  const unreadable = (why: string) =>
    refusal(`The cron expression ${quoted} cannot be read: ${why}.`);
  if (expression.length > MAX_LENGTH)
    throw unreadable(`it has ${expression.length} characters, and may have ${MAX_LENGTH}`);
  const texts = expression.trim().split(/[ \t]+/);
  if (!areFive(texts)) throw unreadable(whyNotFive(texts));
  const [minute, hour, day, month, weekday] = texts;
  const valuesOf = (field: Field, text: string) => {
    const mistake = mistakeIn(field, text);
    if (mistake !== undefined) throw unreadable(mistake);
    try {
      return valuesToCroner(field, text);
    } catch (error) {
      const why = String(error).replace("TypeError: CronPattern: ", "");
      throw unreadable(why.replace(/\.$/, ""));
    }
  };
  const calendar: Calendar = {
    minutes: valuesOf(MINUTE, minute),
    hours: valuesOf(HOUR, hour),
    days: day === "*" ? undefined : valuesOf(DAY, day),
    months: valuesOf(MONTH, month),
    weekdays: weekday === "*" ? undefined : valuesOf(WEEKDAY, weekday),
  };
  // If both day fields are restricted, a run is due when EITHER matches. Schedulers disagree
  // whether "*/2" is a restriction.
  const restricted = [day, weekday].filter((text) => text !== "*");
  if (restricted.length === 2 && restricted.some((text) => text.startsWith("*"))) {
    throw refusal(
      `${quoted} restricts both day fields, one of them by a step over "*", which schedulers read in different ways.`,
    );
  }
  if (isEmpty(calendar)) throw refusal(`${quoted} never fires: there is no such day.`);
  return calendar;
}

type Five = readonly [string, string, string, string, string];
const areFive = (texts: readonly string[]): texts is Five => texts.length === 5;

function whyNotFive(texts: readonly string[]): string {
  const text = texts.join(" ");
  if (text === "") return "it is empty";
  if (text.startsWith("@")) return `${quote(text)} is a name that only some schedulers know`;
  return `it has ${texts.length} ${texts.length === 1 ? "field" : "fields"}`;
}

/**
 * Mistakes that croner does not report, or reports with its internal numbers. The size of a step
 * is left to croner.
 */
function mistakeIn(field: Field, text: string): string | undefined {
  return text
    .split(",")
    .map((part) => mistakeInPart(field, part))
    .find((mistake) => mistake !== undefined);
}

function mistakeInPart(field: Field, part: string): string | undefined {
  const [range, step = "1"] = cut(part, "/");
  if (!/^\d+$/.test(step)) return `${quote(step)} is not a valid step`;
  if (range === "*") return undefined;
  const [from, to = from] = cut(range, "-");
  const [least, greatest] = [numberOf(from, field), numberOf(to, field)];
  const wrong = Number.isNaN(least) ? from : Number.isNaN(greatest) ? to : undefined;
  if (wrong !== undefined)
    return `${/^\d+$/.test(wrong) ? wrong : quote(wrong)} is not a valid ${field.value}`;
  if (least > greatest) return `${quote(range)} goes backwards`;
  // Croner reads it as 7 there, so SUN-SUN is all days; others read it as 0, so it is Sunday.
  if (range.toUpperCase().endsWith("-SUN"))
    return `${quote(range)} ends with a day that is 0 to some schedulers, and 7 to others`;
  return undefined;
}

/** The parts before and after the first separator; the whole string if there is none. */
function cut(text: string, separator: string): readonly [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** The value that a number or a name stands for; NaN if the field has no such value. */
function numberOf(text: string, { least, greatest, names }: Field): number {
  const name = names?.indexOf(text.toUpperCase()) ?? -1;
  const value = name >= 0 ? name + least : /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= greatest ? value : Number.NaN;
}

/** The values that a field's string stands for. */
function valuesToCroner({ least, greatest, timeOf, alone }: Field, text: string) {
  const cron = new Cron(alone(text), { mode: "5-part", timezone: "UTC" });
  const values = Array.from({ length: greatest - least + 1 }, (_, offset) => least + offset);
  return values.filter((value) => cron.match(new Date(timeOf(value))));
}

function refusal(problem: string): IamTokensError {
  return new IamTokensError("ERR_SCHEDULE_INVALID", problem, {
    allowed: ALLOWED,
    remedy: 'Write it as for cron, in UTC: "0 */6 * * *".',
  });
}
