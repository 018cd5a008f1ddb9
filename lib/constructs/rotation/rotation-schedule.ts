import { longestPause } from "../../rotation/cron";
import { type Recipe, type RotationPlan, rotationPlanOf } from "../../rotation/rotation-plan";
import {
  type RotationSettings,
  toInterval,
  toRotationSettings,
} from "../../rotation/rotation-settings";
import { Brand } from "../../tokens";
import { isUnresolved } from "../values/checks";
import { assertKind, kind } from "../values/kinds";

/**
 * Options of a {@link RotationSchedule}. Durations are strings: `"30m"`, `"1h30m"`.
 *
 * @see docs/rotation.md
 */
export interface RotationScheduleOptions {
  /**
   * How many runs may be bad between two successful pushes, without any consumer having an expired
   * token. A bad run finds a rotation due and does not start, or does not get the lock in time; or
   * it fails, or is cancelled, after it rotated.
   *
   * @default 1
   */
  readonly missedRuns?: number;
  /**
   * The longest time between the planned and the real start of a run: queues, random delays,
   * waiting for the lock.
   *
   * @default "15m"
   */
  readonly startDelay?: string;
  /**
   * The longest time from a run's start until the last consumer has the token that it issued: plan,
   * approval, apply, hooks, and the interval at which a reader of a secret store looks again.
   *
   * @default "30m"
   */
  readonly longestApply?: string;
  /**
   * The largest difference, in either direction, between the clocks of the identity service and of
   * the machine that runs Terraform. `"0s"` if they share one clock.
   *
   * @default "5m"
   */
  readonly clockUncertainty?: string;
  /**
   * How long a token lives: `"1h"` for a cloud whose tokens live an hour.
   *
   * @default "24h", as the service says
   * @see docs/rotation.md
   */
  readonly lifetime?: string;
}

/**
 * How often a pipeline re-applies. Tokens rotate early enough that no consumer ever has an expired
 * one.
 *
 * A schedule that would leave a gap is an error where it is made, which contains the calculation
 * and the nearest schedules without a gap: ERR_SCHEDULE_GAP. For one that cannot be read:
 * ERR_SCHEDULE_INVALID, ERR_DURATION_INVALID. `iam-tokens schedule` explains a schedule.
 *
 * The guarantee: a consumer has its next token before its last one expires. The conditions: planned
 * runs are no further apart than the interval, at most `missedRuns` runs are bad between two
 * successful pushes, and each start, apply and clock is within its option. Additional runs do no
 * harm. A push that failed is not counted on to be repeated, except with `storedToken` of a
 * TokenRotation. Tokens rotate as late as this allows.
 *
 * @see docs/rotation.md
 * @example
 * RotationSchedule.every("6h");
 * RotationSchedule.cron("30 0-18/6 * * *", { missedRuns: 1, longestApply: "45m" });
 */
export class RotationSchedule {
  /**
   * Runs at most this far apart.
   *
   * @param interval a duration: `"6h"`, `"90m"`
   */
  static every(interval: string, options?: RotationScheduleOptions): RotationSchedule {
    assertKind("The interval", interval, KNOWN);
    return new RotationSchedule(toInterval(interval), options);
  }

  /**
   * Runs at the times of a cron expression, in UTC.
   *
   * The longest pause between two runs counts: for `"0 6,18 * * MON-FRI"` this is the weekend
   * (60 h). It is looked for within the next 400 runs and 60 days.
   *
   * @param expression the five fields of cron, without the extensions that only some schedulers
   * know (`L`, `W`, `#`, `?`, `@daily`)
   */
  static cron(expression: string, options?: RotationScheduleOptions): RotationSchedule {
    assertKind("The cron expression", expression, KNOWN);
    return new RotationSchedule(longestPause(expression, Date.now()), options);
  }

  private readonly settings: RotationSettings;

  private constructor(longestInterval: number, options: RotationScheduleOptions = {}) {
    BRAND.putOn(this);
    this.settings = toRotationSettings(longestInterval, options);
    // A schedule that leaves a gap in every recipe is refused here, any other where it is used.
    this._plan("readBack");
  }

  /** @internal */
  _plan(recipe: Recipe): RotationPlan {
    return rotationPlanOf(this.settings, recipe);
  }
}

const BRAND = new Brand<RotationSchedule>("RotationSchedule");

/** The rules of a schedule judge all else. */
const KNOWN = kind(
  "a value that the program knows, such as a literal or an environment variable",
  (value) => value !== null && !isUnresolved(value),
  { code: "ERR_SCHEDULE_INVALID", remedy: "A schedule is calculated during synthesis." },
);

export const SCHEDULE = kind('RotationSchedule.every("6h"), RotationSchedule.cron("…")', (value) =>
  BRAND.isOn(value),
);
