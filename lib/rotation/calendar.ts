const DAY_MS = 86_400_000;
/** After 400 years, 20871 weeks, the Gregorian calendar repeats, weekdays included. */
const CYCLE_YEARS = 400;

/** The times of a cron expression, field by field, in UTC. */
export interface Calendar {
  /** 0 to 59, sorted. */
  readonly minutes: readonly number[];
  /** 0 to 23, sorted. */
  readonly hours: readonly number[];
  /** 1 to 31; undefined if every day of the month matches. */
  readonly days: readonly number[] | undefined;
  /** 1 to 12. */
  readonly months: readonly number[];
  /** 0 (Sunday) to 6; undefined if every weekday matches. */
  readonly weekdays: readonly number[] | undefined;
}

/** Whether a calendar has no day at all, such as 30 February. */
export function isEmpty(calendar: Calendar): boolean {
  // A leap year has every day of every month, and each month every weekday.
  return daysIn(calendar, true, 0).length === 0;
}

/**
 * The longest time between two consecutive times of a calendar that is not empty, in milliseconds:
 * exact, over all years.
 */
export function longestInterval(calendar: Calendar): number {
  const times = timesOfDay(calendar);
  const first = times[0] ?? 0;
  const last = times.at(-1) ?? 0;
  const overnight = longestDayGap(calendar) * DAY_MS + first - last;
  return times.reduce(
    (longest, time, index) => Math.max(longest, time - (times[index - 1] ?? time)),
    overnight,
  );
}

/**
 * The cron expression with the longest even interval that is not longer than this one; undefined
 * below a minute.
 *
 * @param minute the minute of runs that are hours apart
 */
export function evenCron(longestMs: number, minute = "0"): string | undefined {
  const largest = (steps: readonly number[], unitMs: number) =>
    steps.find((step) => step * unitMs <= longestMs);
  const hours = largest([24, 12, 8, 6, 4, 3, 2, 1], 3_600_000);
  if (hours !== undefined)
    return `${minute} ${hours === 24 ? "0" : hours === 1 ? "*" : `*/${hours}`} * * *`;
  const minutes = largest([30, 20, 15, 12, 10, 6, 5, 4, 3, 2, 1], 60_000);
  return minutes === undefined ? undefined : `${minutes === 1 ? "*" : `*/${minutes}`} * * * *`;
}

/** In milliseconds since midnight, sorted. */
function timesOfDay({ hours, minutes }: Calendar): readonly number[] {
  return hours.flatMap((hour) => minutes.map((minute) => (hour * 60 + minute) * 60_000));
}

/** The most days from one day with times to the next. */
function longestDayGap(calendar: Calendar): number {
  const [common, leap] = [yearsOf(calendar, false), yearsOf(calendar, true)];
  let last: number | undefined;
  let longest = 0;
  // One year more, for the gap over the end of the cycle.
  for (let year = 2000; year <= 2000 + CYCLE_YEARS; year++) {
    const start = new Date(Date.UTC(year, 0, 1));
    for (const day of (isLeap(year) ? leap : common)[start.getUTCDay()] ?? []) {
      const at = start.getTime() / DAY_MS + day;
      longest = Math.max(longest, at - (last ?? at));
      last = at;
    }
  }
  return longest;
}

/** The days with times in a year, by the weekday of its first: only fourteen years differ. */
const yearsOf = (calendar: Calendar, leap: boolean) =>
  Array.from({ length: 7 }, (_, weekday) => daysIn(calendar, leap, weekday));

/** The days with times in one year, counted from its first day. */
function daysIn(calendar: Calendar, leap: boolean, firstWeekday: number): readonly number[] {
  const days: number[] = [];
  let start = 0;
  for (const [month, length] of monthsOf(leap).entries()) {
    for (let day = 0; day < length && calendar.months.includes(month + 1); day++)
      if (hasDay(calendar, day + 1, (firstWeekday + start + day) % 7)) days.push(start + day);
    start += length;
  }
  return days;
}

const isLeap = (year: number) => new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1;

const monthsOf = (leap: boolean) => [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * If both are restricted, the day of the month OR the weekday must match, as always in cron.
 */
function hasDay({ days, weekdays }: Calendar, day: number, weekday: number): boolean {
  if (days === undefined) return weekdays === undefined || weekdays.includes(weekday);
  return days.includes(day) || (weekdays?.includes(weekday) ?? false);
}
