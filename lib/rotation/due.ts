import { formatApart, formatDuration, fromRfc3339, IamTokensError, toRfc3339 } from "../tokens";

/** A resource's attributes in the state, by their Terraform names. */
export type StoredState = Readonly<Record<string, unknown>>;

/** How far this machine's clock may be off from the one by which a time was written. */
export const CLOCK_TOLERANCE_MS = 5 * 60 * 1000;

/** A time in the state, in milliseconds; undefined if an edit by hand made it unreadable. */
export function timeIn(state: StoredState, name: string): number | undefined {
  const text = state[name];
  return typeof text === "string" ? fromRfc3339(text) : undefined;
}

/** Whether a past time is in the future: the clock was set back, or is behind. */
export function isYetToCome(time: number, now: number): boolean {
  return time - now > CLOCK_TOLERANCE_MS;
}

/**
 * Refuses a threshold that a new token or rotation is already below: each run would rotate it.
 *
 * @param rule the setting that sets the threshold: "with rotate_when_remaining"
 * @param lives subject and verb of the lifetime, as messages begin: "An IAM token lives"
 * @throws ERR_ROTATION_THRESHOLD
 */
export function assertThreshold(
  rule: string,
  thresholdMs: number,
  lives: string,
  lifetimeMs: number,
): void {
  if (thresholdMs < lifetimeMs) return;
  // Rounded in the direction that keeps the order of the two numbers.
  const [life, least] = formatApart(
    Math.floor(lifetimeMs / 1000) * 1000,
    Math.ceil(thresholdMs / 1000) * 1000,
  );
  throw new IamTokensError(
    "ERR_ROTATION_THRESHOLD",
    `${lives} ${life}, and ${rule} it is rotated when less than ${least} are left.`,
  );
}

/**
 * Why a rotation in the state is due, as sentences; empty if it is not. If the time of the last one
 * is uncertain, it is due.
 *
 * @param intervalMs from one rotation to the next; undefined while unknown
 */
export function whyRotationIsDue(
  state: StoredState,
  intervalMs: number | undefined,
  now: number,
): readonly string[] {
  const [rotatedAt, rotateAt] = [timeIn(state, "rotated_at"), timeIn(state, "rotate_at")];
  if (rotatedAt === undefined || rotateAt === undefined)
    return [
      "rotated_at or rotate_at in the state cannot be read, so the time of the last rotation is unknown.",
    ];
  if (isYetToCome(rotatedAt, now))
    return [
      `The last rotation was at ${toRfc3339(rotatedAt)}, and this machine's clock says ${toRfc3339(now)}: the clock is behind or was set back, so the time of the last rotation is uncertain. Correct the clock.`,
    ];
  // An edit of rotate_at can bring a rotation forward, but not delay it beyond the arguments.
  const due = Math.min(rotateAt, rotatedAt + (intervalMs ?? Number.POSITIVE_INFINITY));
  if (now < due) return [];
  return [
    `The rotation was due at ${toRfc3339(due)}, ${now - due < 1000 ? "just now" : `${formatDuration(now - due)} ago`}.`,
  ];
}
