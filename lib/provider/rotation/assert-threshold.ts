import { formatDuration, IamTokensError } from "../../tokens";

/**
 * Refuses a threshold that a new token is below, or at, from its first moment: it would be rotated
 * at every run.
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
