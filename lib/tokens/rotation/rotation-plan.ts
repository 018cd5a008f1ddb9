import { formatExact } from "../duration";
import { IamTokensError } from "../error";
import type { RotationSettings } from "./rotation-settings";

/**
 * When tokens rotate so that no consumer ever holds a dead one.
 *
 * The model, whose every assumption is a setting:
 *
 * - A run is planned at most `interval` after the one before. It counts when it ends well; else it
 *   is missed. At most `missedRuns` in a row are missed. A run that cannot begin because another
 *   still holds the lock is missed, too.
 * - A run starts at most `startDelay` after the time that it is planned for (queues, random delays,
 *   waiting for the lock). From its start on it takes at most `longestApply`: plan, approval,
 *   issuing, and until the last consumer has the new token. A token is issued anywhere in it.
 * - The clock with which a plan counts what is left of a token is at most `clockUncertainty` away
 *   from the service's.
 * - Anybody may start a run by hand at any time, and a run may fail after it has issued: neither
 *   does harm.
 *
 * From it, with `reach` the time from the planned start of a run that counts to the end of the next
 * one that does:
 *
 *     reach = (missedRuns + 1) x interval + startDelay + longestApply
 *
 * A token that a plan leaves alone must live at least `reach` longer. The plan may believe that it
 * lives `clockUncertainty` longer than it does: so it rotates once less than `reach +
 * clockUncertainty` is left, and no sooner. A token that was just issued must not be due by any
 * clock: its lifetime must be longer than that by another `clockUncertainty`.
 */
export interface RotationPlan {
  readonly settings: RotationSettings;
  readonly reachMs: number;
  /**
   * A token in state is rotated by the first plan that finds less than this left: the smallest that
   * leaves no gap.
   */
  readonly rotateWhenRemainingMs: number;
  /** Undefined when the lifetime is too short for a token that is pushed. */
  readonly pushed: PushedRotation | undefined;
}

/**
 * For a token that is pushed into another system and that no state knows: `iam_rotation` knows only
 * when it rotated itself.
 *
 * The token was opened up to `longestApply` before that, and may come from a cache with
 * `minRemaining` left; and the clocks of two runs differ by up to twice the uncertainty. So it
 * rotates earlier than a token in state does.
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

/** What a token's lifetime must be above: for a token in state, or one that is pushed. */
export function neededLifetime(settings: RotationSettings, pushed = false): number {
  const { longestApplyMs, clockUncertaintyMs } = settings;
  const inState = reachOf(settings) + 2 * clockUncertaintyMs;
  return pushed ? inState + longestApplyMs + clockUncertaintyMs : inState;
}

/**
 * The plan of a schedule that leaves no gap.
 *
 * @throws ERR_SCHEDULE_GAP with the sum, and the nearest schedules that leave none
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

/** The sum that is held against the lifetime, as people write it. */
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
 * What could be changed, one thing at a time, so that a refused schedule is accepted: the interval,
 * in whole minutes (seconds below one), or the missed runs; undefined where none is small enough.
 */
export function nearestSettings(
  settings: RotationSettings,
  pushed = false,
): { readonly intervalMs: number | undefined; readonly missedRuns: number | undefined } {
  const runs = settings.missedRuns + 1;
  const others = neededLifetime(settings, pushed) - runs * settings.intervalMs;
  const budget = settings.lifetimeMs - others;
  // The sum must be below the budget, not at it: hence the millisecond, and the one run less where
  // it comes out even.
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
      : `${ways.join(", or ").replace(/^./, (first) => first.toUpperCase())}.`;
  const what = `The schedule leaves a gap${pushed ? " for a token that is pushed" : ""}`;
  return new IamTokensError("ERR_SCHEDULE_GAP", `${what}: ${arithmetic(settings, pushed)}.`, {
    remedy,
  });
}

function countOf(number: number, what: string): string {
  return `${number === 0 ? "no" : number} ${what}${number > 1 ? "s" : ""}`;
}
