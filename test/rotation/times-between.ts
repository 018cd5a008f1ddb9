import type { Calendar } from "../../lib/rotation/calendar";

const MINUTE = 60_000;

/** The times of a calendar from one time on to before another, minute by minute as cron looks. */
export function* timesBetween(calendar: Calendar, from: number, to: number): Generator<number> {
  for (let at = Math.ceil(from / MINUTE) * MINUTE; at < to; at += MINUTE) {
    const date = new Date(at);
    if (!hasDay(calendar, date)) at += 24 * 60 * MINUTE - MINUTE - (at % (24 * 60 * MINUTE));
    else if (!calendar.hours.includes(date.getUTCHours()))
      at += 60 * MINUTE - MINUTE - (at % (60 * MINUTE));
    else if (calendar.minutes.includes(date.getUTCMinutes())) yield at;
  }
}

function hasDay({ days, months, weekdays }: Calendar, date: Date): boolean {
  if (!months.includes(date.getUTCMonth() + 1)) return false;
  if (days === undefined) return weekdays?.includes(date.getUTCDay()) ?? true;
  return days.includes(date.getUTCDate()) || (weekdays?.includes(date.getUTCDay()) ?? false);
}
