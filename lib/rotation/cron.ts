import { IamTokensError } from "../tokens/error";
import { quote } from "../tokens/printable";
import { type Calendar, isEmpty } from "./calendar";

/**
 * One of the five fields: the name of its values, their minimum and maximum, and the names that
 * stand for values, from the minimum on.
 */
interface Field {
  readonly value: string;
  readonly least: number;
  readonly greatest: number;
  readonly names?: readonly string[];
}

const MINUTE: Field = { value: "minute", least: 0, greatest: 59 };
const HOUR: Field = { value: "hour", least: 0, greatest: 23 };
const DAY: Field = { value: "day of the month", least: 1, greatest: 31 };
const MONTH: Field = {
  value: "month",
  least: 1,
  greatest: 12,
  names: "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" "),
};
const WEEKDAY: Field = {
  value: "day of the week",
  least: 0,
  greatest: 7,
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
    const parts = text.split(",").map((part) => toPart(field, part));
    const mistake = parts.find((part) => typeof part === "string");
    if (mistake !== undefined) throw unreadable(mistake);
    return valuesIn(field).filter((value) =>
      parts.some(
        (part) =>
          typeof part !== "string" &&
          part.from <= value &&
          value <= part.to &&
          (value - part.from) % part.step === 0,
      ),
    );
  };
  const calendar: Calendar = {
    minutes: valuesOf(MINUTE, minute),
    hours: valuesOf(HOUR, hour),
    days: day === "*" ? undefined : valuesOf(DAY, day),
    months: valuesOf(MONTH, month),
    // 7 is Sunday as well as 0.
    weekdays: weekday === "*" ? undefined : valuesOf(WEEKDAY, weekday).map((day) => day % 7),
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

/** A part of a field: values from one to another, in steps. */
interface Part {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

/** A part, or what is wrong in it. */
function toPart(field: Field, text: string): Part | string {
  const [range, step = "1"] = cut(text, "/");
  // 0 and 7 are one day of the week.
  const most = field.names?.length ?? valuesIn(field).length;
  if (!/^\d+$/.test(step) || !isIn(Number(step), 1, most))
    return `${quote(step)} is not a valid step`;
  if (range === "*") return { from: field.least, to: field.greatest, step: Number(step) };
  const [from, to = from] = cut(range, "-");
  const [least, greatest] = [numberOf(from, field), numberOf(to, field)];
  const wrong = Number.isNaN(least) ? from : Number.isNaN(greatest) ? to : undefined;
  if (wrong !== undefined)
    return `${/^\d+$/.test(wrong) ? wrong : quote(wrong)} is not a valid ${field.value}`;
  if (least > greatest) return `${quote(range)} goes backwards`;
  if (text.includes("/") && !range.includes("-"))
    return `${quote(text)} has a step without a range`;
  // Some schedulers read it as 0 there, others as 7: SUN-SUN is Sunday, or all days.
  if (range.toUpperCase().endsWith("-SUN"))
    return `${quote(range)} ends with a day that is 0 to some schedulers, and 7 to others`;
  return { from: least, to: greatest, step: Number(step) };
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
  return isIn(value, least, greatest) ? value : Number.NaN;
}

const isIn = (value: number, least: number, greatest: number) =>
  least <= value && value <= greatest;

const valuesIn = ({ least, greatest }: Field) =>
  Array.from({ length: greatest - least + 1 }, (_, offset) => least + offset);

function refusal(problem: string): IamTokensError {
  return new IamTokensError("ERR_SCHEDULE_INVALID", problem, {
    allowed: ALLOWED,
    remedy: 'Write it as for cron, in UTC: "0 */6 * * *".',
  });
}
