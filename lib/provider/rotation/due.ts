import type { CtyObject } from "../../plugin/cty/value";
import { formatDuration, fromRfc3339, IamTokensError, toRfc3339 } from "../../tokens";

/** How far this machine's clock may be behind the one that wrote a time. */
const CLOCK_TOLERANCE_MS = 5 * 60 * 1000;

/** A time of the state, in milliseconds; undefined where an edit by hand has made it unreadable. */
export function timeIn(state: CtyObject, name: string): number | undefined {
  const text = state[name];
  return typeof text === "string" ? fromRfc3339(text) : undefined;
}

/** Whether a time of the past is still to come: the clock was put back, or is behind. */
export function isYetToCome(time: number, now: number): boolean {
  return time - now > CLOCK_TOLERANCE_MS;
}

/**
 * Refuses a threshold that what is new is below at once: it would be rotated at every run.
 *
 * @param rule what sets the threshold: "with rotate_when_remaining"
 * @param lives what lives so long, as messages begin: "An IAM token lives"
 * @throws ERR_ROTATION_THRESHOLD
 */
export function assertThreshold(
  rule: string,
  thresholdMs: number,
  lives: string,
  lifetimeMs: number,
): void {
  if (thresholdMs < lifetimeMs) return;
  throw new IamTokensError(
    "ERR_ROTATION_THRESHOLD",
    // Rounded so that the two numbers never read the other way round.
    `${lives} ${formatDuration(Math.floor(lifetimeMs / 1000) * 1000)}, and ${rule} it is rotated when less than ${formatDuration(Math.ceil(thresholdMs / 1000) * 1000)} are left.`,
  );
}

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
  if (rotatedAt === undefined || rotateAt === undefined)
    return [
      "rotated_at or rotate_at in the state cannot be read, so that nobody can say when the last rotation was.",
    ];
  if (isYetToCome(rotatedAt, now))
    return [
      `The last rotation was at ${toRfc3339(rotatedAt)}, and this machine's clock says ${toRfc3339(now)}: the clock is behind or was put back, so that nobody can say when it was. Have the clock set.`,
    ];
  // By an edit of rotate_at a rotation may come earlier, never later than the arguments say.
  const due = Math.min(rotateAt, rotatedAt + (intervalMs ?? Number.POSITIVE_INFINITY));
  if (now < due) return [];
  return [
    `It was due at ${toRfc3339(due)}, ${now - due < 1000 ? "just now" : `${formatDuration(now - due)} ago`}.`,
  ];
}
