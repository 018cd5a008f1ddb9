import { longestPause } from "../../rotation/cron";
import { planPushedRotation, planRotation } from "../../rotation/rotation-plan";
import {
  type RotationSettings,
  toInterval,
  toRotationSettings,
} from "../../rotation/rotation-settings";
import { formatExact, type IamTokensError } from "../../tokens";
import { Brand } from "../../tokens/brand";
import type { BlockArguments } from "../blocks/block";
import { emittable, isExpression, Mistakes, quoted } from "../values/checks";
import { TokenResolution } from "../values/token";

const BRAND = new Brand<RotationSchedule>("RotationSchedule");

/**
 * Options of a {@link RotationSchedule}. Durations are strings: `"30m"`, `"1h30m"`.
 *
 * @see docs/rotation.md
 */
export interface RotationScheduleOptions {
  /**
   * How many planned runs in a row may be missed without any consumer having an expired token. A
   * run is missed if it does not start, cannot get the lock in time, or fails.
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
   * How long a token lives.
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
 * A schedule that would leave a gap is an error at synthesis, which contains the calculation and
 * the nearest schedules without a gap: ERR_SCHEDULE_GAP. For one that cannot be read:
 * ERR_SCHEDULE_INVALID, ERR_DURATION_INVALID. `iam-tokens schedule` explains a schedule.
 *
 * The guarantee: a consumer has its next token before its last one expires. The conditions: planned
 * runs are no further apart than the interval, at most `missedRuns` in a row are missed, and each
 * start, apply and clock is within its option. A run counts if its apply succeeds. Additional
 * manual runs, and runs that fail after they have issued a token, do no harm. Tokens rotate as late
 * as this allows.
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
    return new RotationSchedule(
      { name: "The interval", value: interval, longestInterval: () => toInterval(interval) },
      options,
    );
  }

  /**
   * Runs at the times of a cron expression, in UTC.
   *
   * The longest pause between two runs counts: for `"0 6,18 * * MON-FRI"` this is the weekend, 60 h.
   * It is looked for within the next 400 runs and 60 days.
   *
   * @param expression the five fields of cron, without the extensions that only some schedulers
   * know (`L`, `W`, `#`, `?`, `@daily`)
   */
  static cron(expression: string, options?: RotationScheduleOptions): RotationSchedule {
    return new RotationSchedule(
      {
        name: "The cron expression",
        value: expression,
        longestInterval: () => longestPause(expression, Date.now()),
      },
      options,
    );
  }

  /** @internal */
  static _is(value: unknown): value is RotationSchedule {
    return BRAND.isOn(value);
  }

  /**
   * `rotate_when_remaining` of a token in state: a plan that finds less remaining lifetime rotates
   * the token. Undefined if the schedule is refused.
   */
  readonly rotateWhenRemaining?: string;
  /**
   * `rotate_every` of an `iam_rotation` for tokens that are pushed into another system. Undefined
   * if the schedule is refused, or leaves too little of the lifetime for this use.
   */
  readonly rotateEvery?: string;
  /** `min_remaining` of the token that is pushed; goes with {@link rotateEvery}. */
  readonly minRemaining?: string;
  /** Why the schedule is refused; undefined if it is accepted. */
  readonly problem?: string;

  /**
   * Adds the schedule's errors for this use to the mistakes of the construct that uses it.
   * @internal
   */
  _reportTo(mistakes: Mistakes, use: "in state" | "pushed"): void {
    for (const error of this.errors)
      mistakes.check(() => {
        throw error;
      });
    const { settings } = this;
    if (this.errors.length === 0 && use === "pushed" && settings !== undefined)
      mistakes.check(() => planPushedRotation(settings));
  }

  private readonly errors: readonly IamTokensError[];
  private readonly settings: RotationSettings | undefined;

  private constructor(times: Times, options: RotationScheduleOptions | undefined) {
    BRAND.putOn(this);
    const mistakes = new Mistakes();
    const given = { ...options };
    const known = checkKnown(
      [times, ...Object.entries(given).map(([name, value]) => ({ name, value }))],
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

/** A schedule. Its own mistakes, and those of its use, are reported where it is used. */
export function checkSchedule(
  value: unknown,
  use: "in state" | "pushed",
  mistakes: Mistakes,
): RotationSchedule | undefined {
  if (value === undefined) return undefined;
  if (!RotationSchedule._is(value)) {
    mistakes.add("ERR_PROP_INVALID", `schedule is ${quoted(value)}.`, {
      allowed:
        'a RotationSchedule: RotationSchedule.every("6h"), RotationSchedule.cron("0 */6 * * *")',
    });
    return undefined;
  }
  value._reportTo(mistakes, use);
  return value;
}

/** A value that a schedule is made from. */
interface GivenSchedule {
  readonly name: string;
  readonly value: unknown;
}

/** When the runs are. */
interface Times extends GivenSchedule {
  longestInterval(): number;
}

/** Refuses values that only Terraform knows. Returns whether all are known. */
function checkKnown(given: readonly GivenSchedule[], mistakes: Mistakes): boolean {
  const unknown = given.filter(({ value }) => isExpression(value));
  for (const { name } of unknown) {
    mistakes.add(
      "ERR_SCHEDULE_INVALID",
      `${name} is a Terraform expression, but a schedule is calculated during synthesis.`,
      {
        remedy: "Give a value that the program knows: a literal, or an environment variable.",
      },
    );
  }
  return unknown.length === 0;
}

interface RotatingProps {
  readonly schedule?: unknown;
  readonly rotateWhenRemaining?: unknown;
  readonly keepers?: unknown;
}

/**
 * Additional properties of a rotating token; a token of another way must have none of them.
 */
export function checkRotating(
  { schedule, rotateWhenRemaining, keepers }: RotatingProps,
  resolution: TokenResolution,
  mistakes: Mistakes,
): BlockArguments {
  if (resolution !== TokenResolution.ROTATING) {
    for (const [name, value] of Object.entries({ schedule, rotateWhenRemaining, keepers })) {
      if (value === undefined) continue;
      mistakes.add("ERR_PROP_INVALID", `${name} is given with resolution: ${resolution}.`, {
        remedy:
          "Remove it, or use TokenResolution.ROTATING. A token that is pushed to another system is rotated with rotateWith.",
      });
    }
    return {};
  }
  if (schedule !== undefined && rotateWhenRemaining !== undefined) {
    mistakes.add("ERR_PROP_INVALID", "Both schedule and rotateWhenRemaining are given.", {
      remedy: "Give only the schedule: it determines when the token rotates.",
    });
  }
  const checked = checkSchedule(schedule, "in state", mistakes);
  return {
    rotate_when_remaining: checked?.rotateWhenRemaining ?? rotateWhenRemaining,
    keepers: checkKeepers(keepers, mistakes),
  };
}

/** Strings by name; other values are left out. */
export function checkKeepers(value: unknown, mistakes: Mistakes): unknown {
  if (value === undefined || isExpression(value)) return value;
  const entries =
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.entries(value)
      : undefined;
  if (entries === undefined || entries.some(([, text]) => emittable(text) === undefined)) {
    mistakes.add(
      "ERR_PROP_INVALID",
      `keepers ${entries === undefined ? `is ${quoted(value)}` : "has a value that is not a string"}.`,
      {
        allowed: 'strings by name: { release: "42" }',
      },
    );
  }
  return entries && Object.fromEntries(entries.filter(([, text]) => emittable(text) !== undefined));
}
