import { formatExact, type IamTokensError } from "../../tokens";
import { longestInterval } from "../../tokens/rotation/calendar";
import { parseCron } from "../../tokens/rotation/cron";
import { planPushedRotation, planRotation } from "../../tokens/rotation/rotation-plan";
import {
  type RotationSettings,
  toInterval,
  toRotationSettings,
} from "../../tokens/rotation/rotation-settings";
import { isExpression } from "../props/expression";
import { Mistakes } from "../props/mistakes";
import { checkProps } from "../props/props";
import { shown } from "../props/shown";

const BRAND = Symbol.for("cdktf-iam-tokens/RotationSchedule");
const KNOWN = ["missedRuns", "startDelay", "longestApply", "clockUncertainty", "lifetime"];

/** What a {@link RotationSchedule} has to reckon with. Durations are texts: `"30m"`, `"1h30m"`. */
export interface RotationScheduleOptions {
  /**
   * How many planned runs in a row may be missed, without a consumer ever holding a dead token. A
   * run is missed when it does not start, cannot get the lock in time, or fails.
   *
   * @default 1
   */
  readonly missedRuns?: number;
  /**
   * The longest time from when a run is planned to when it starts: queues, random delays, waiting
   * for the lock.
   *
   * @default "15m"
   */
  readonly startDelay?: string;
  /**
   * The longest time from a run's start until the LAST consumer has the token that it has issued:
   * plan, approval, apply, hooks, and how often a reader of a secret store looks again.
   *
   * @default "30m"
   */
  readonly longestApply?: string;
  /**
   * The most by which the clocks of the machine that runs Terraform and of the identity service
   * differ, either way. `"0s"` where they are one.
   *
   * @default "5m"
   */
  readonly clockUncertainty?: string;
  /**
   * How long a token lives.
   *
   * @default "24h", as the service says
   * @see spec, "Limits"
   */
  readonly lifetime?: string;
}

/**
 * How often a pipeline re-applies; from it, when tokens rotate so that no consumer ever holds a
 * dead one.
 *
 * A schedule that would leave a gap is reported when the program is synthesized, with the sum and
 * the nearest schedules that leave none: ERR_SCHEDULE_GAP. One that cannot be read:
 * ERR_SCHEDULE_INVALID, ERR_DURATION_INVALID. `iam-tokens schedule` draws it.
 *
 * What is promised, and on what terms: as long as runs are planned no further apart than the
 * interval, at most `missedRuns` in a row are missed, and each start, apply and clock is within its
 * option, a consumer has its next token before its last one expires. A run counts when its apply
 * ends well. Runs by hand at any time, and runs that fail after they have issued, do no harm. A
 * token is rotated as late as that allows.
 *
 * @example
 * RotationSchedule.every("6h")
 * RotationSchedule.cron("30 0-18/6 * * *", { missedRuns: 1, longestApply: "45m" })
 */
export class RotationSchedule {
  /**
   * Runs at most this far apart.
   *
   * @param interval a duration: `"6h"`, `"90m"`
   */
  static every(interval: string, options?: RotationScheduleOptions): RotationSchedule {
    return new RotationSchedule(
      { name: "The interval", value: interval, longestInterval: () => toInterval(interval) },
      options,
    );
  }

  /**
   * Runs at the times of a cron expression, in UTC.
   *
   * What counts is the longest time between two of them: `"0 6,18 * * MON-FRI"` has the weekend, 60
   * h, in it.
   *
   * @param expression the five fields of cron, without the extensions that only some schedulers
   * know (`L`, `W`, `#`, `?`, `@daily`)
   */
  static cron(expression: string, options?: RotationScheduleOptions): RotationSchedule {
    return new RotationSchedule(
      {
        name: "The cron expression",
        value: expression,
        longestInterval: () => longestInterval(parseCron(expression)),
      },
      options,
    );
  }

  /**
   * By a brand and not by instanceof: two copies of the package in one program still know each
   * other's schedules. @internal
   */
  static _is(value: unknown): value is RotationSchedule {
    return typeof value === "object" && value !== null && BRAND in value;
  }

  /**
   * `rotate_when_remaining` of a token in state: a plan that finds less than this left rotates it.
   * Undefined when the schedule is refused.
   */
  readonly rotateWhenRemaining?: string;
  /**
   * `rotate_every` of an `iam_rotation` that has a fresh token pushed into another system.
   * Undefined when the schedule is refused, or leaves too little of the lifetime for that.
   */
  readonly rotateEvery?: string;
  /** `min_remaining` of the token that is pushed: together with {@link rotateEvery}. */
  readonly minRemaining?: string;
  /** Why the schedule is refused; undefined when it is not. */
  readonly problem?: string;

  /**
   * Adds to the mistakes of the construct that uses the schedule what is wrong with it there.
   * @internal
   */
  _reportTo(mistakes: Mistakes, use: "in state" | "pushed"): void {
    mistakes.found.push(...this.errors);
    const { settings } = this;
    if (this.errors.length === 0 && use === "pushed" && settings !== undefined)
      mistakes.check(() => planPushedRotation(settings));
  }

  private readonly errors: readonly IamTokensError[];
  private readonly settings: RotationSettings | undefined;

  private constructor(times: Times, options: RotationScheduleOptions | undefined) {
    Object.defineProperty(this, BRAND, { value: true });
    const mistakes = new Mistakes();
    const given = options === undefined ? {} : checkProps(options, KNOWN, mistakes);
    const known = checkKnown(
      [times, ...KNOWN.map((name) => ({ name, value: given[name] }))],
      mistakes,
    );
    const plan = known
      ? mistakes.check(() => planRotation(toRotationSettings(times.longestInterval(), given)))
      : undefined;
    this.settings = plan?.settings;
    if (plan !== undefined) this.rotateWhenRemaining = formatExact(plan.rotateWhenRemainingMs);
    if (plan?.pushed !== undefined) {
      this.rotateEvery = formatExact(plan.pushed.rotateEveryMs);
      this.minRemaining = formatExact(plan.pushed.minRemainingMs);
    }
    this.errors = mistakes.found;
    if (this.errors.length > 0) this.problem = mistakes.messages.join("\n");
  }
}

/** A schedule; its own mistakes, and those of its use, are reported where it is used. */
export function checkSchedule(
  value: unknown,
  use: "in state" | "pushed",
  mistakes: Mistakes,
): RotationSchedule | undefined {
  if (value === undefined) return undefined;
  if (!RotationSchedule._is(value)) {
    mistakes.add("ERR_PROP_INVALID", `schedule is ${shown(value)}.`, {
      allowed:
        'a RotationSchedule: RotationSchedule.every("6h"), RotationSchedule.cron("0 */6 * * *")',
    });
    return undefined;
  }
  value._reportTo(mistakes, use);
  return value;
}

/** Something that a schedule is made from. */
interface Given {
  readonly name: string;
  readonly value: unknown;
}

/** When the runs are. */
interface Times extends Given {
  longestInterval(): number;
}

/** Refuses what only Terraform knows. Tells whether all of it is known. */
function checkKnown(given: readonly Given[], mistakes: Mistakes): boolean {
  const unknown = given.filter(({ value }) => isExpression(value));
  for (const { name } of unknown) {
    mistakes.add(
      "ERR_SCHEDULE_INVALID",
      `${name} is a Terraform expression, and a schedule is reckoned when the program is synthesized.`,
      {
        remedy: "Give what the program knows itself: a literal, or a variable of its environment.",
      },
    );
  }
  return unknown.length === 0;
}
