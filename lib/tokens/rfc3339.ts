/** A time as Terraform's functions read it: RFC 3339, UTC, cut to whole seconds. */
export function toRfc3339(time: Date | number): string {
  return `${new Date(Math.floor(Number(time) / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}

const WRITTEN = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;

/**
 * The milliseconds of a time that {@link toRfc3339} has written; undefined for every other text,
 * and for a 31st of February.
 */
export function fromRfc3339(text: string): number | undefined {
  const time = WRITTEN.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && toRfc3339(time) === text ? time : undefined;
}
