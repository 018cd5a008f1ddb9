import type { CtyObject } from "../../plugin/cty/value";
import { fromRfc3339 } from "../rfc3339";

/**
 * How far this machine's clock may be behind the one that wrote a time, before that time cannot be
 * true.
 */
export const CLOCK_TOLERANCE_MS = 5 * 60 * 1000;

/**
 * A time of the state, in milliseconds; undefined when it cannot be read, which only an edit by
 * hand can bring about.
 */
export function timeIn(state: CtyObject, name: string): number | undefined {
  const text = state[name];
  return typeof text === "string" ? fromRfc3339(text) : undefined;
}

/**
 * A time that is still to come, though the state says that it is over: the clock was put back, or
 * is behind.
 */
export function isYetToCome(time: number, now: number): boolean {
  return time - now > CLOCK_TOLERANCE_MS;
}
