import type { CtyObject } from "../../plugin/cty/value";
import { formatDuration } from "../../tokens";
import { toRfc3339 } from "../rfc3339";
import { isYetToCome, timeIn } from "./clock";

/**
 * Why a rotation of the state is due, as sentences; none when it is not. Whatever leaves it open
 * when the last one was makes it due.
 *
 * @param intervalMs from one rotation to the next; undefined as long as that is not known
 */
export function whyRotationIsDue(
  state: CtyObject,
  intervalMs: number | undefined,
  now: number,
): readonly string[] {
  const [rotatedAt, rotateAt] = [timeIn(state, "rotated_at"), timeIn(state, "rotate_at")];
  if (rotatedAt === undefined || rotateAt === undefined) {
    return [
      "rotated_at or rotate_at in the state cannot be read, so that nobody can say when the last rotation was.",
    ];
  }
  if (isYetToCome(rotatedAt, now)) {
    return [
      `The last rotation was at ${iso(rotatedAt)}, and this machine's clock says ${iso(now)}: the clock is behind or was put back, so that nobody can say when it was. Have the clock set.`,
    ];
  }
  // By an edit of rotate_at a rotation may come earlier, never later than the arguments say.
  const due = Math.min(rotateAt, rotatedAt + (intervalMs ?? Number.POSITIVE_INFINITY));
  if (now < due) return [];
  return [
    `It was due at ${iso(due)}, ${now - due < 1000 ? "just now" : `${formatDuration(now - due)} ago`}.`,
  ];
}

const iso = (time: number) => toRfc3339(new Date(time));
