import { fromRfc3339, toRfc3339 } from "../tokens";

/** A resource's attributes in the state, by their Terraform names. */
export type StoredState = Readonly<Record<string, unknown>>;

/** How far this machine's clock may be off from the one by which a time was written. */
export const CLOCK_TOLERANCE_MS = 5 * 60 * 1000;

/** A time in the state, in milliseconds; undefined if an edit by hand made it unreadable. */
export function timeIn(state: StoredState, name: string): number | undefined {
  const text = state[name];
  return typeof text === "string" ? fromRfc3339(text) : undefined;
}

/**
 * Why it is due if a past time is in the future; undefined if it is not.
 *
 * @param event subject and verb of that time, as sentences begin: "The last rotation was"
 * @param uncertain the consequence: "the time of the last rotation"
 */
export function whyClockIsBehind(
  event: string,
  time: number,
  now: number,
  uncertain: string,
): string | undefined {
  if (time - now <= CLOCK_TOLERANCE_MS) return undefined;
  return `${event} at ${toRfc3339(time)}, and this machine's clock says ${toRfc3339(now)}: the clock is behind or was set back, so ${uncertain} is uncertain. Correct the clock.`;
}
