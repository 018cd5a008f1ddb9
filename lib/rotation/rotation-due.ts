import { formatDuration, toRfc3339 } from "../tokens";
import { type StoredState, timeIn, whyClockIsBehind } from "./due";

/**
 * Why a rotation in the state is due, as a sentence; undefined if it is not. If the time of the
 * last one is uncertain, it is due.
 *
 * @param intervalMs from one rotation to the next; infinite while unknown, when the state decides
 */
export function whyRotationIsDue(
  state: StoredState,
  intervalMs: number,
  now: number,
): string | undefined {
  const [rotatedAt, rotateAt] = [timeIn(state, "rotated_at"), timeIn(state, "rotate_at")];
  if (rotatedAt === undefined || rotateAt === undefined)
    return "rotated_at or rotate_at in the state cannot be read, so the time of the last rotation is unknown.";
  const behind = whyClockIsBehind(
    "The last rotation was",
    rotatedAt,
    now,
    "the time of the last rotation",
  );
  if (behind !== undefined) return behind;
  const due = Number.isFinite(intervalMs) ? rotatedAt + intervalMs : rotateAt;
  if (now < due) return undefined;
  const ago = now - due < 1000 ? "just now" : `${formatDuration(now - due)} ago`;
  return `The rotation was due at ${toRfc3339(due)}, ${ago}.`;
}
