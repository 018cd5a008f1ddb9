import { Cron } from "croner";
import { IamTokensError } from "../error";
import { type Calendar, isEmpty } from "./calendar";

const NAMES = /\b(?:JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC|SUN|MON|TUE|WED|THU|FRI|SAT)\b/gi;
const ALLOWED = 'five fields (minute, hour, day of month, month, day of week) of numbers, names, "*", ",", "-" and "/"';

/**
 * The calendar of a cron expression, in UTC. Only what all schedulers read in one way is taken: the five fields of POSIX with
 * names and steps, and none of the extensions (`L`, `W`, `#`, `?`, `@daily`, seconds).
 *
 * @throws ERR_SCHEDULE_INVALID
 * @example parseCron("0 0-18/6 * * MON-FRI")
 */
export function parseCron(expression: unknown): Calendar {
  if (typeof expression !== "string") {
    throw refusal(`The cron expression is a value of type ${expression === null ? "null" : typeof expression}.`);
  }
  const shown = JSON.stringify(expression.slice(0, 80).replaceAll(/[^\x20-\x7e]/g, "?"));
  const fields = expression.trim().split(/[ \t]+/);
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = fields;
  if (
    fields.length !== 5 ||
    expression.length > 200 ||
    !fields.every((field) => /^[\d*,/-]+$/.test(field.replaceAll(NAMES, "1")))
  ) {
    throw refusal(`${shown} is not a cron expression that every scheduler reads in the same way.`);
  }
  // With both day fields restricted a run is due when EITHER matches. Whether "*/2" restricts, schedulers do not agree on.
  if (day !== "*" && weekday !== "*" && (day.startsWith("*") || weekday.startsWith("*"))) {
    throw refusal(`${shown} restricts both day fields, one of them by a step over "*", which schedulers read in different ways.`);
  }
  const calendar: Calendar = {
    // Each field alone, tried on times in which all the others match.
    minutes: matches(`${minute} * * * *`, shown, 60, (value) => Date.UTC(2026, 0, 1, 0, value)),
    hours: matches(`* ${hour} * * *`, shown, 24, (value) => Date.UTC(2026, 0, 1, value)),
    days: day === "*" ? undefined : matches(`* * ${day} * *`, shown, 32, (value) => Date.UTC(2026, 0, value), 1),
    months: matches(`* * * ${month} *`, shown, 13, (value) => Date.UTC(2026, value - 1, 1), 1),
    // 2026-01-04 was a Sunday.
    weekdays: weekday === "*" ? undefined : matches(`* * * * ${weekday}`, shown, 7, (value) => Date.UTC(2026, 0, 4 + value)),
  };
  if (isEmpty(calendar)) throw refusal(`${shown} never fires: there is no such day.`);
  return calendar;
}

/** Which of the values from `first` to before `end` a pattern matches. */
function matches(pattern: string, shown: string, end: number, timeOf: (value: number) => number, first = 0): readonly number[] {
  const cron = parsed(pattern, shown);
  const found: number[] = [];
  for (let value = first; value < end; value++) if (cron.match(new Date(timeOf(value)))) found.push(value);
  return found;
}

function parsed(pattern: string, shown: string): Cron {
  try {
    return new Cron(pattern, { mode: "5-part", timezone: "UTC", paused: true });
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^CronPattern: /, "").replace(/\.$/, "") : "it is malformed";
    throw refusal(`The cron expression ${shown} cannot be read: ${why}.`);
  }
}

function refusal(problem: string): IamTokensError {
  return new IamTokensError("ERR_SCHEDULE_INVALID", problem, {
    allowed: ALLOWED,
    remedy: 'Write it as for cron, in UTC: "0 */6 * * *".',
  });
}
