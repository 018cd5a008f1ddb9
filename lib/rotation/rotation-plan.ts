import { formatExact, IamTokensError } from "../tokens";
import type { RotationSettings } from "./rotation-settings";

/**
 * Computes when tokens rotate, early enough that no consumer ever has an expired one.
 *
 * The model, with a setting for each assumption:
 *
 * - A run is planned at most `interval` after the one before. It counts if it succeeds; otherwise
 *   it is missed. At most `missedRuns` in a row are missed. A run that cannot start because another
 *   still has the lock is missed as well.
 * - A run starts at most `startDelay` after its planned time (queues, random delays, waiting for
 *   the lock). From its start on it takes at most `longestApply`: plan, approval, issuing, and
 *   until the last consumer has the new token. It may issue the token at any moment in this time.
 * - The clock by which a plan computes the remaining lifetime of a token differs by at most
 *   `clockUncertainty` from the service's.
 * - Anybody may start an additional run at any time, and a run may fail after it has issued a
 *   token: neither does harm.
 *
 * It follows, with `reach` the time from the planned start of a run that counts to the end of the
 * next one that does:
 *
 *     reach = (missedRuns + 1) x interval + startDelay + longestApply
 *
 * A token that a plan keeps must live at least `reach` longer. By its clock, the plan may assume a
 * lifetime that is `clockUncertainty` too long. So it rotates as soon as less than `reach +
 * clockUncertainty` is left, and not earlier. A new token must not be due by any clock: its
 * lifetime must be longer than this sum by another `clockUncertainty`.
 *
 * @returns what is left of the lifetime when a token in state rotates: the smallest value without a
 * gap
 * @throws ERR_SCHEDULE_GAP with the calculation, and the nearest schedules without a gap
 */
export function rotateWhenRemainingOf(settings: RotationSettings): number {
  if (neededLifetime(settings) >= settings.lifetimeMs) throw gap(settings);
  return reachOf(settings) + settings.clockUncertaintyMs;
}

/**
 * For a token that is pushed into another system and is in no state: `iam_rotation` knows only the
 * time of its own last rotation.
 *
 * The token was opened up to `longestApply` before that time, may come from a cache with
 * `minRemaining` left, and the clocks of two runs differ by up to twice the uncertainty. So it
 * rotates earlier than a token in state.
 */
interface PushedRotation {
  /** `rotate_every` of `iam_rotation`. */
  readonly rotateEveryMs: number;
  /** `min_remaining` of the ephemeral token. */
  readonly minRemainingMs: number;
}

/** @throws as {@link rotateWhenRemainingOf} */
export function pushedRotationOf(settings: RotationSettings): PushedRotation {
  const { lifetimeMs, clockUncertaintyMs } = settings;
  if (neededLifetime(settings) >= lifetimeMs) throw gap(settings);
  const rotateEveryMs = lifetimeMs - neededLifetime(settings, true);
  if (rotateEveryMs <= 0) throw gap(settings, true);
  return { rotateEveryMs, minRemainingMs: lifetimeMs - clockUncertaintyMs };
}

/** The `reach` of {@link rotateWhenRemainingOf}. */
function reachOf({
  intervalMs,
  missedRuns,
  startDelayMs,
  longestApplyMs,
}: RotationSettings): number {
  return (missedRuns + 1) * intervalMs + startDelayMs + longestApplyMs;
}

/** Minimum lifetime of a token, in state or pushed. */
export function neededLifetime(settings: RotationSettings, pushed = false): number {
  const { longestApplyMs, clockUncertaintyMs } = settings;
  const inState = reachOf(settings) + 2 * clockUncertaintyMs;
  return pushed ? inState + longestApplyMs + clockUncertaintyMs : inState;
}

/** The sum that is compared with the lifetime, in readable form. */
export function arithmetic(settings: RotationSettings, pushed = false): string {
  const { intervalMs, missedRuns, startDelayMs, longestApplyMs, clockUncertaintyMs, lifetimeMs } =
    settings;
  const text = formatExact;
  const needed = neededLifetime(settings, pushed);
  const parts = [
    `${missedRuns + 1} x ${text(intervalMs)} (the interval; ${countOf(missedRuns, "run")} may be missed)`,
    `${text(startDelayMs)} (start delay)`,
    `${pushed ? "2 x " : ""}${text(longestApplyMs)} (longest apply)`,
    `${pushed ? 3 : 2} x ${text(clockUncertaintyMs)} (clock uncertainty)`,
  ];
  const relation = needed < lifetimeMs ? "less than" : "not less than";
  return `${parts.join(" + ")} = ${text(needed)}, ${relation} a token's lifetime of ${text(lifetimeMs)}`;
}

/**
 * The refusal of a schedule, with single changes that make it acceptable: of the interval, in whole
 * minutes (seconds below one), or of the missed runs; neither if no value is small enough.
 */
function gap(settings: RotationSettings, pushed = false): IamTokensError {
  const { intervalMs, missedRuns, lifetimeMs } = settings;
  const runs = missedRuns + 1;
  const budget = lifetimeMs - (neededLifetime(settings, pushed) - runs * intervalMs);
  // The sum must be below the budget, not equal to it: hence one millisecond less, and one run less
  // if the division has no remainder.
  const longest = (budget - 1) / runs;
  const unit = longest >= 60_000 ? 60_000 : 1_000;
  const shorter = Math.floor(longest / unit) * unit;
  const fewer = Math.ceil(budget / intervalMs) - 2;
  const ways = [
    ...(shorter > 0 ? [`run at least every ${formatExact(shorter)}`] : []),
    ...(fewer >= 0 ? [`tolerate ${countOf(fewer, "missed run")}`] : []),
  ];
  const remedy =
    ways.length === 0
      ? "No interval is short enough: shorten the start delay, the longest apply or the clock uncertainty."
      : `${capitalized(ways.join(", or "))}.`;
  const what = `The schedule leaves a gap${pushed ? " for a token that is pushed" : ""}`;
  return new IamTokensError("ERR_SCHEDULE_GAP", `${what}: ${arithmetic(settings, pushed)}.`, {
    remedy,
  });
}

const capitalized = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

function countOf(number: number, what: string): string {
  return `${number === 0 ? "no" : number} ${what}${number > 1 ? "s" : ""}`;
}
