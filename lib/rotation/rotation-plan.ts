import { formatExact, IamTokensError } from "../tokens";
import type { RotationSettings } from "./rotation-settings";

/**
 * How consumers get a token, and whether a push that failed is repeated by the next run.
 *
 * Many providers save the planned value although their update failed. No later plan then sees a
 * difference: the consumer keeps the old token until the next rotation.
 */
export const RECIPES = {
  /** In the state, and read from there at each run: outputs, arguments that are read back. */
  readBack: { pushed: false, repeats: true },
  /** In the state, for consumers whose provider cannot read the argument back. */
  inState: { pushed: false, repeats: false },
  /** In no state: written by an argument that nobody reads back. */
  pushed: { pushed: true, repeats: false },
  /** The same, and each plan looks at what the store really holds. */
  stored: { pushed: true, repeats: true },
} as const;

export type Recipe = keyof typeof RECIPES;

/** When a token rotates, in milliseconds. */
export interface RotationPlan {
  /** `rotate_when_remaining` of a token in the state. */
  readonly rotateWhenRemainingMs: number;
  /** `rotate_every` of `iam_rotation`. */
  readonly rotateEveryMs: number;
  /** `min_remaining` of the ephemeral token that is pushed. */
  readonly minRemainingMs: number;
}

/**
 * Computes when tokens rotate, early enough that no consumer ever has an expired one, and not
 * earlier.
 *
 * The model, with a setting for each assumption:
 *
 * - A run is planned at most `interval` after the one before, and starts at most `startDelay` later
 *   (queues, random delays, the lock). From its start on it takes at most `longestApply`: plan,
 *   approval, issuing, and until the last consumer has the new token. It may issue the token at any
 *   moment in this time.
 * - The clock of a run differs by at most `clockUncertainty` from the service's.
 * - A bad run finds a rotation due and is missed (it does not start, or does not get the lock), or
 *   fails after it rotated. There are at most `missedRuns` of them between two successful pushes, in
 *   any mix. Additional runs do no harm.
 *
 * If the next run repeats a failed push, all bad runs fall into one stage: a run that only just
 * finds the token not due, `missedRuns` bad ones, and one that succeeds. Otherwise each of them may
 * be a stage of its own, because a rotation whose push failed starts the clock again. With `quiet`
 * as the time in which nothing is due, a stage takes
 *
 *     quiet + runs x interval + startDelay + longestApply + 2 x clockUncertainty
 *
 * and all of them together must fit into the lifetime. A pushed token was opened up to
 * `longestApply` before the rotation that is noted, maybe from a cache that has `clockUncertainty`
 * less.
 *
 * @throws ERR_SCHEDULE_GAP with the calculation, and the nearest schedules without a gap
 */
export function rotationPlanOf(settings: RotationSettings, recipe: Recipe): RotationPlan {
  const { lifetimeMs, clockUncertaintyMs } = settings;
  const quietMs = quietOf(settings, recipe);
  if (quietMs <= 0) throw gap(settings, recipe);
  return {
    rotateWhenRemainingMs: lifetimeMs - quietMs - clockUncertaintyMs,
    rotateEveryMs: quietMs,
    minRemainingMs: lifetimeMs - clockUncertaintyMs,
  };
}

/** The time of a stage in which nothing is due; not above zero if the schedule leaves a gap. */
function quietOf(settings: RotationSettings, recipe: Recipe): number {
  const { stages } = stagesOf(settings, recipe);
  const quietMs = (settings.lifetimeMs - neededLifetime(settings, recipe)) / stages;
  const unit = quietMs < 1000 ? 1 : 1000;
  return Math.floor(quietMs / unit) * unit;
}

/** The stages of the worst case, and the runs of each. */
function stagesOf({ missedRuns }: RotationSettings, recipe: Recipe) {
  const all = missedRuns + 1;
  return RECIPES[recipe].repeats ? { stages: 1, runs: all } : { stages: all, runs: 1 };
}

/** The lifetime that a token must exceed. */
export function neededLifetime(settings: RotationSettings, recipe: Recipe): number {
  const { intervalMs, startDelayMs, longestApplyMs, clockUncertaintyMs } = settings;
  const { stages, runs } = stagesOf(settings, recipe);
  const stageMs = runs * intervalMs + startDelayMs + longestApplyMs + 2 * clockUncertaintyMs;
  const beforeMs = RECIPES[recipe].pushed ? longestApplyMs + clockUncertaintyMs : 0;
  return stages * stageMs + beforeMs;
}

/** The sum that is compared with the lifetime, in readable form. */
export function arithmetic(settings: RotationSettings, recipe: Recipe): string {
  const { intervalMs, missedRuns, startDelayMs, longestApplyMs, clockUncertaintyMs, lifetimeMs } =
    settings;
  const text = formatExact;
  const { stages, runs } = stagesOf(settings, recipe);
  const needed = neededLifetime(settings, recipe);
  const stage = [
    `${runs === 1 ? "" : `${runs} x `}${text(intervalMs)} (the interval)`,
    `${text(startDelayMs)} (start delay)`,
    `${text(longestApplyMs)} (longest apply)`,
    `2 x ${text(clockUncertaintyMs)} (clock uncertainty)`,
  ].join(" + ");
  const before = RECIPES[recipe].pushed
    ? ` + ${text(longestApplyMs)} + ${text(clockUncertaintyMs)} (opened before it is noted)`
    : "";
  const sum = stages === 1 ? stage : `${stages} x (${stage})`;
  const relation = quietOf(settings, recipe) > 0 ? "less than" : "not less than";
  const bad = missedRuns === 0 ? "no run may be bad" : `${countOf(missedRuns, "bad run")} included`;
  return `${sum}${before} = ${text(needed)} (${bad}), ${relation} a token's lifetime of ${text(lifetimeMs)}`;
}

const OF_RECIPE: Readonly<Record<Recipe, string>> = {
  readBack: "",
  inState: " for a token whose consumers are not read back",
  pushed: " for a token that is pushed",
  stored: " for a token that is pushed and looked at in its store",
};

/** The refusal of a schedule, with single changes that make it acceptable. */
function gap(settings: RotationSettings, recipe: Recipe): IamTokensError {
  const { intervalMs, missedRuns, lifetimeMs } = settings;
  // In every recipe, the needed lifetime grows by missedRuns + 1 with the interval.
  const over = neededLifetime(settings, recipe) - lifetimeMs;
  const longest = intervalMs - over / (missedRuns + 1) - 1;
  const unit = longest >= 60_000 ? 60_000 : 1_000;
  const shorter = Math.floor(longest / unit) * unit;
  const fewer = Array.from({ length: missedRuns }, (_, less) => missedRuns - 1 - less);
  const tolerable = fewer.find(
    (number) => quietOf({ ...settings, missedRuns: number }, recipe) > 0,
  );
  const ways = [
    ...(shorter > 0 ? [`run at least every ${formatExact(shorter)}`] : []),
    ...(tolerable === undefined ? [] : [`tolerate ${countOf(tolerable, "missed run")}`]),
    ...(recipe === "pushed" && quietOf(settings, "stored") > 0
      ? ["let each plan look at the store (stored_token_wo; storedToken of a TokenRotation)"]
      : []),
  ];
  const remedy =
    ways.length === 0
      ? "No interval is short enough: shorten the start delay, the longest apply or the clock uncertainty, or give the lifetime of the service's tokens."
      : `${capitalized(ways.join(", or "))}.`;
  const what = `The schedule leaves a gap${OF_RECIPE[recipe]}`;
  return new IamTokensError("ERR_SCHEDULE_GAP", `${what}: ${arithmetic(settings, recipe)}.`, {
    remedy,
  });
}

const capitalized = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

function countOf(number: number, what: string): string {
  return `${number === 0 ? "no" : number} ${what}${number > 1 ? "s" : ""}`;
}
