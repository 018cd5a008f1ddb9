import { IamTokensError } from "./error";
import { IAM_TOKEN_LIFETIME_MS } from "./token-kind";
import { type Text, words } from "./words";

const UNITS: Readonly<Record<string, number>> = {
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
  ms: 1,
};
const PART = /(\d+(?:\.\d+)?)(ms|d|h|m|s)/gy;

/**
 * Milliseconds of a duration such as `2h`, `90m`, `1h30m` or `45s` (units: d, h, m, s, ms; largest
 * first is not required).
 *
 * @param name name of the duration, for the message, which does not repeat the string: it may be a
 * secret that somebody gave by mistake
 * @throws ERR_DURATION_INVALID if the string is not a duration, or is zero or longer than 366 days
 * @example parseDuration("1h30m") // 5_400_000
 */
export function parseDuration(text: string, name?: Text): number {
  const duration = durationOf(text);
  if (duration !== undefined) return duration;
  const beginning = name === undefined ? "The" : words`${name}: the`;
  throw new IamTokensError(
    "ERR_DURATION_INVALID",
    words`${beginning} given text is not a duration.`,
    {
      allowed:
        'a number with a unit (d, h, m, s, ms), also joined, above zero and at most 366d: "2h", "90m", "1h30m"',
    },
  );
}

function durationOf(text: string): number | undefined {
  const parts = [...text.matchAll(PART)];
  const whole = parts.map(([part]) => part).join("") === text;
  const total = parts.reduce(
    (sum, [, count, unit = ""]) => sum + Number(count) * (UNITS[unit] ?? 0),
    0,
  );
  return whole && total > 0 && total <= 366 * 86_400_000 ? total : undefined;
}

/**
 * Milliseconds that a token must have left. Refuses as long as a new one lives: trying would cost a
 * token each time.
 *
 * @throws ERR_DURATION_INVALID, ERR_LIFETIME_TOO_SHORT
 */
export function parseMinRemaining(text: string, name: Text): number {
  const wanted = parseDuration(text, name);
  if (wanted < IAM_TOKEN_LIFETIME_MS) return wanted;
  throw new IamTokensError(
    "ERR_LIFETIME_TOO_SHORT",
    words`${name} is ${formatDuration(wanted)}, but an IAM token lives only ${formatDuration(IAM_TOKEN_LIFETIME_MS)}.`,
    { remedy: "Give a shorter duration." },
  );
}

const RETRY_LIMIT_MS = 5 * 60_000;

/**
 * Milliseconds for all attempts of a request: a duration of at most 5 minutes, or zero.
 *
 * @throws ERR_DURATION_INVALID
 */
export function parseRetryFor(text: string, name: Text): number {
  const total = /^0(?:ms|d|h|m|s)$/.test(text) ? 0 : durationOf(text);
  if (total !== undefined && total <= RETRY_LIMIT_MS) return total;
  const what =
    total === undefined
      ? "the given text is not a duration"
      : `${formatDuration(total)} is too long`;
  throw new IamTokensError("ERR_DURATION_INVALID", words`${name}: ${what}.`, {
    allowed: '"0s" (one try) to "5m"',
  });
}

/**
 * A duration for people: `2 h`, `1 h 30 min`, `45 s`. The largest units that are not zero.
 *
 * @param units how many; by default two
 */
export function formatDuration(milliseconds: number, units = 2): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds === 0) return milliseconds === 0 ? "0 s" : `${Math.round(milliseconds)} ms`;
  const parts = partsOf(seconds, { " d": 86_400, " h": 3_600, " min": 60, " s": 1 });
  return parts.slice(0, units).join(" ");
}

/** Durations that are compared, for people: different ones never look equal. */
export function formatApart(...durations: readonly number[]): readonly string[] {
  const different = new Set(durations).size;
  const formats = [formatDuration, (each: number) => formatDuration(each, 4), formatExact];
  return (
    formats
      .map((format) => durations.map((each) => format(each)))
      .find((texts) => new Set(texts).size === different) ?? durations.map((each) => `${each} ms`)
  );
}

/** A duration exactly, as parseDuration reads it: `12h50m`, `90m` as `1h30m`, `0s`. */
export function formatExact(milliseconds: number): string {
  const units = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };
  return partsOf(Math.round(milliseconds), units).join("") || "0s";
}

/** The number of each unit, from the largest on; units with zero are omitted. */
function partsOf(total: number, units: Readonly<Record<string, number>>): readonly string[] {
  let rest = total;
  return Object.entries(units).flatMap(([unit, length]) => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    return count > 0 ? [`${count}${unit}`] : [];
  });
}
