import { formatExact } from "../duration";
import { IamTokensError } from "../error";
import type { RotationSettings } from "./rotation-settings";

/**
 * When tokens rotate so that no consumer ever holds a dead one.
 *
 * The model, whose every assumption is a setting:
 *
 * - A run is planned at most `interval` after the one before. It counts when it ends well; else it
 * is missed. At most
 *   `missedRuns` in a row are missed. A run that cannot begin because another still holds the lock
 *   is missed, too.
 * - A run starts at most `startDelay` after the time that it is planned for (queues, random delays,
 * waiting for the lock).
 *   From its start on it takes at most `longestApply`: plan, approval, issuing, and until the last
 *   consumer has the new token. A token is issued anywhere in it.
 * - The clock with which a plan counts what is left of a token is at most `clockUncertainty` away
 * from the service's.
 * - Anybody may start a run by hand at any time, and a run may fail after it has issued: neither
 * does harm.
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
  /**
   * The time from the planned start of a run that counts to the end of the next one that does, at
   * worst.
   */
  readonly reachMs: number;
  /**
   * A token in state is rotated by the first plan that finds less than this left: the smallest that
   * leaves no gap.
   */
  readonly rotateWhenRemainingMs: number;
  /**
   * For a token that is pushed into another system; undefined when the lifetime is too short for
   * that.
   */
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
export interface PushedRotation {
  /** `rotate_every` of `iam_rotation`. */
  readonly rotateEveryMs: number;
  /** `min_remaining` of the ephemeral token. */
  readonly minRemainingMs: number;
}

/**
 * The time from the planned start of a run that counts to the end of the next one that does, at
 * worst.
 */
export function reachOf({
  intervalMs,
  missedRuns,
  startDelayMs,
  longestApplyMs,
}: RotationSettings): number {
  return (missedRuns + 1) * intervalMs + startDelayMs + longestApplyMs;
}

/** What a token's lifetime must be above, for a token in state. */
export function neededLifetime(settings: RotationSettings): number {
  return reachOf(settings) + 2 * settings.clockUncertaintyMs;
}

/** What a token's lifetime must be above, for one that is pushed. */
export function neededLifetimeWhenPushed(settings: RotationSettings): number {
  return neededLifetime(settings) + settings.longestApplyMs + settings.clockUncertaintyMs;
}

/**
 * The plan of a schedule that leaves no gap.
 *
 * @throws ERR_SCHEDULE_GAP with the sum, and the nearest schedules that leave none
 */
export function planRotation(settings: RotationSettings): RotationPlan {
  if (neededLifetime(settings) >= settings.lifetimeMs) throw gap(settings, neededLifetime);
  const reachMs = reachOf(settings);
  const leftForUse = settings.lifetimeMs - neededLifetimeWhenPushed(settings);
  return {
    settings,
    reachMs,
    rotateWhenRemainingMs: reachMs + settings.clockUncertaintyMs,
    pushed:
      leftForUse <= 0
        ? undefined
        : {
            rotateEveryMs: leftForUse,
            minRemainingMs: settings.lifetimeMs - settings.clockUncertaintyMs,
          },
  };
}

/**
 * The plan's numbers for a pushed token.
 *
 * @throws ERR_SCHEDULE_GAP
 */
export function planPushedRotation(settings: RotationSettings): PushedRotation {
  const { pushed } = planRotation(settings);
  if (pushed === undefined) throw gap(settings, neededLifetimeWhenPushed);
  return pushed;
}

/** The sum that is held against the lifetime, as people write it. */
export function arithmetic(settings: RotationSettings, pushed = false): string {
  const { intervalMs, missedRuns, startDelayMs, longestApplyMs, clockUncertaintyMs, lifetimeMs } =
    settings;
  const text = formatExact;
  const needed = pushed ? neededLifetimeWhenPushed(settings) : neededLifetime(settings);
  const parts = [
    `${missedRuns + 1} x ${text(intervalMs)} (the interval; ${missedRuns === 0 ? "no run" : missedRuns === 1 ? "1 run" : `${missedRuns} runs`} may be missed)`,
    `${text(startDelayMs)} (start delay)`,
    pushed
      ? `2 x ${text(longestApplyMs)} (longest apply)`
      : `${text(longestApplyMs)} (longest apply)`,
    `${pushed ? 3 : 2} x ${text(clockUncertaintyMs)} (clock uncertainty)`,
  ];
  const relation = needed < lifetimeMs ? "less than" : "not less than";
  return `${parts.join(" + ")} = ${text(needed)}, ${relation} a token's lifetime of ${text(lifetimeMs)}`;
}

/** The nearest settings that leave no gap: a shorter interval, or fewer missed runs. */
export interface NearestSettings {
  /** In whole minutes (seconds below one); undefined when no interval will do. */
  readonly intervalMs: number | undefined;
  /** Undefined when not even no missed run will do. */
  readonly missedRuns: number | undefined;
}

/** What could be changed, one thing at a time, so that a refused schedule is accepted. */
export function nearestSettings(settings: RotationSettings, pushed = false): NearestSettings {
  const runs = settings.missedRuns + 1;
  const needed = pushed ? neededLifetimeWhenPushed(settings) : neededLifetime(settings);
  const budget = settings.lifetimeMs - (needed - runs * settings.intervalMs);
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

function gap(
  settings: RotationSettings,
  needed: (settings: RotationSettings) => number,
): IamTokensError {
  const pushed = needed === neededLifetimeWhenPushed;
  const { intervalMs, missedRuns } = nearestSettings(settings, pushed);
  const ways = [
    ...(intervalMs === undefined ? [] : [`run at least every ${formatExact(intervalMs)}`]),
    ...(missedRuns === undefined
      ? []
      : [
          `tolerate ${missedRuns === 0 ? "no missed run" : missedRuns === 1 ? "1 missed run" : `${missedRuns} missed runs`}`,
        ]),
  ];
  const remedy =
    ways.length === 0
      ? "No interval is short enough: shorten the start delay, the longest apply or the clock uncertainty."
      : `${ways.join(", or ").replace(/^./, (first) => first.toUpperCase())}.`;
  const what = pushed
    ? "The schedule leaves a gap for a token that is pushed"
    : "The schedule leaves a gap";
  return new IamTokensError("ERR_SCHEDULE_GAP", `${what}: ${arithmetic(settings, pushed)}.`, {
    remedy,
  });
}
