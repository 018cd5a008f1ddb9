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
 */
export interface RotationPlan {
  readonly settings: RotationSettings;
  readonly reachMs: number;
  /**
   * The first plan with less than this left of a lifetime rotates a token in state: the smallest
   * value without a gap.
   */
  readonly rotateWhenRemainingMs: number;
  /** Undefined if the lifetime is too short for a token that is pushed. */
  readonly pushed: PushedRotation | undefined;
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

/** The `reach` of {@link RotationPlan}. */
export function reachOf({
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

/**
 * The plan of a schedule that leaves no gap.
 *
 * @throws ERR_SCHEDULE_GAP with the calculation, and the nearest schedules without a gap
 */
export function planRotation(settings: RotationSettings): RotationPlan {
  const { lifetimeMs, clockUncertaintyMs } = settings;
  if (neededLifetime(settings) >= lifetimeMs) throw gap(settings, false);
  const reachMs = reachOf(settings);
  const rotateEveryMs = lifetimeMs - neededLifetime(settings, true);
  return {
    settings,
    reachMs,
    rotateWhenRemainingMs: reachMs + clockUncertaintyMs,
    pushed:
      rotateEveryMs > 0
        ? { rotateEveryMs, minRemainingMs: lifetimeMs - clockUncertaintyMs }
        : undefined,
  };
}

/**
 * The plan's numbers for a pushed token.
 *
 * @throws ERR_SCHEDULE_GAP
 */
export function planPushedRotation(settings: RotationSettings): PushedRotation {
  const { pushed } = planRotation(settings);
  if (pushed === undefined) throw gap(settings, true);
  return pushed;
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
 * Single changes that make a refused schedule acceptable: of the interval, in whole minutes
 * (seconds below one), or of the missed runs; undefined if no value is small enough.
 */
function nearestSettings(
  settings: RotationSettings,
  pushed: boolean,
): { readonly intervalMs: number | undefined; readonly missedRuns: number | undefined } {
  const runs = settings.missedRuns + 1;
  const others = neededLifetime(settings, pushed) - runs * settings.intervalMs;
  const budget = settings.lifetimeMs - others;
  // The sum must be below the budget, not equal to it: hence one millisecond less, and one run less
  // if the division has no remainder.
  const longest = (budget - 1) / runs;
  const unit = longest >= 60_000 ? 60_000 : 1_000;
  const intervalMs = Math.floor(longest / unit) * unit;
  const missedRuns = Math.ceil(budget / settings.intervalMs) - 2;
  return {
    intervalMs: intervalMs > 0 ? intervalMs : undefined,
    missedRuns: missedRuns >= 0 ? missedRuns : undefined,
  };
}

function gap(settings: RotationSettings, pushed: boolean): IamTokensError {
  const { intervalMs, missedRuns } = nearestSettings(settings, pushed);
  const ways = [
    intervalMs === undefined ? "" : `run at least every ${formatExact(intervalMs)}`,
    missedRuns === undefined ? "" : `tolerate ${countOf(missedRuns, "missed run")}`,
  ].filter((way) => way !== "");
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
