/** A time for Terraform's functions: RFC 3339, UTC, rounded down to seconds. */
export function toRfc3339(time: Date | number): string {
  return `${new Date(Math.floor(Number(time) / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}

/**
 * The milliseconds of a time in {@link toRfc3339}'s format; undefined for any other string, and for
 * impossible dates such as 31 February.
 */
export function fromRfc3339(text: string): number | undefined {
  // A year with more digits would be cut when it is written.
  const time = /^\d{4}-/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && toRfc3339(time) === text ? time : undefined;
}
