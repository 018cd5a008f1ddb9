const DAY_MS = 86_400_000;
/** After 400 years, 146097 days, the Gregorian calendar repeats, weekdays included. */
const CYCLE_YEARS = 400;
const CYCLE_DAYS = 146_097;

/** The times of a cron expression, field by field, in UTC. */
export interface Calendar {
  /** 0 to 59, sorted. */
  readonly minutes: readonly number[];
  /** 0 to 23, sorted. */
  readonly hours: readonly number[];
  /** 1 to 31; undefined when every day of the month will do. */
  readonly days: readonly number[] | undefined;
  /** 1 to 12. */
  readonly months: readonly number[];
  /** 0 (Sunday) to 6, and 7 for 0; undefined when every weekday will do. */
  readonly weekdays: readonly number[] | undefined;
}

/** Whether a calendar has no time at all, as the 30th of February. */
export function isEmpty(calendar: Calendar): boolean {
  return (
    calendar.minutes.length === 0 ||
    calendar.hours.length === 0 ||
    longestDayGap(calendar) === undefined
  );
}

/**
 * The longest time between two neighbouring times of a calendar that is not empty, in milliseconds:
 * exact, over all years.
 */
export function longestInterval(calendar: Calendar): number {
  const times = timesOfDay(calendar);
  const first = times[0] ?? 0;
  const last = times.at(-1) ?? 0;
  const overnight = (longestDayGap(calendar) ?? 0) * DAY_MS + first - last;
  return times.reduce(
    (longest, time, index) => Math.max(longest, time - (times[index - 1] ?? time)),
    overnight,
  );
}

/** In milliseconds since midnight, sorted. */
function timesOfDay({ hours, minutes }: Calendar): readonly number[] {
  return hours.flatMap((hour) => minutes.map((minute) => (hour * 60 + minute) * 60_000));
}

/** The most days from one day with times to the next. */
function longestDayGap(calendar: Calendar): number | undefined {
  let first: number | undefined;
  let last: number | undefined;
  let longest = 0;
  for (let month = 0, start = 0; month < CYCLE_YEARS * 12; month++) {
    const length = daysOfMonth(2000 + Math.floor(month / 12), month % 12);
    for (let day = 0; day < length && calendar.months.includes((month % 12) + 1); day++) {
      // 2000-01-01 was a Saturday.
      if (!hasDay(calendar, day + 1, (start + day + 6) % 7)) continue;
      first ??= start + day;
      longest = Math.max(longest, start + day - (last ?? start + day));
      last = start + day;
    }
    start += length;
  }
  return first === undefined || last === undefined
    ? undefined
    : Math.max(longest, first + CYCLE_DAYS - last);
}

const MONTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function daysOfMonth(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return (MONTHS[month] ?? 0) + (leap && month === 1 ? 1 : 0);
}

/**
 * With both restricted, the day of the month OR the weekday must match, as cron has always had it.
 */
function hasDay({ days, weekdays }: Calendar, day: number, weekday: number): boolean {
  if (days === undefined) return weekdays === undefined || weekdays.includes(weekday);
  return days.includes(day) || (weekdays?.includes(weekday) ?? false);
}
