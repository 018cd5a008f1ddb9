import { longestInterval } from "../../rotation/calendar";
import { parseCron } from "../../rotation/cron";
import { planRotation, type RotationPlan } from "../../rotation/rotation-plan";
import { earliestRule, plannedRule, type RotationRule } from "../../rotation/rotation-rule";
import {
  type RotationOptions,
  type RotationSettings,
  toInterval,
  toRotationSettings,
} from "../../rotation/rotation-settings";
import { IamTokensError } from "../../tokens";

/** The options of `iam-tokens schedule`, from commander. */
export interface ScheduleOptions {
  readonly every?: string;
  readonly cron?: string;
  readonly missed?: string;
  readonly startDelay?: string;
  readonly longestApply?: string;
  readonly clock?: string;
  readonly lifetime?: string;
  readonly pushed?: true;
  readonly mermaid?: string;
}

/** A schedule with its evaluation. */
export interface Verdict {
  /** The schedule in the user's words: `runs every 6h`. */
  readonly title: string;
  readonly settings: RotationSettings;
  /** Undefined if the schedule is refused. */
  readonly plan: RotationPlan | undefined;
  readonly refusal: IamTokensError | undefined;
  /** The rule of the chart: the plan's or, without one, the best possible. */
  readonly rule: RotationRule;
}

const NAMES: Readonly<Record<keyof RotationOptions, string>> = {
  missedRuns: "--missed",
  startDelay: "--start-delay",
  longestApply: "--longest-apply",
  clockUncertainty: "--clock",
  lifetime: "--lifetime",
};

/**
 * Evaluates the schedule of a command line.
 *
 * @throws ERR_USAGE, ERR_DURATION_INVALID, ERR_SCHEDULE_INVALID for invalid input
 */
export function judge(options: ScheduleOptions): Verdict {
  const { every, cron, missed } = options;
  if ((every === undefined) === (cron === undefined)) {
    throw new IamTokensError(
      "ERR_USAGE",
      every === undefined
        ? "The schedule is missing."
        : "--every and --cron are both given; a schedule has one of them.",
      {
        remedy:
          every === undefined
            ? 'Give how often it runs, "--every 6h", or when, "--cron \'0 */6 * * *\'".'
            : "Remove one of them.",
      },
    );
  }
  const intervalMs =
    cron === undefined ? toInterval(every, "--every") : longestInterval(parseCron(cron));
  const settings = toRotationSettings(
    intervalMs,
    {
      missedRuns:
        missed === undefined ? undefined : /^\d{1,6}$/.test(missed) ? Number(missed) : missed,
      startDelay: options.startDelay,
      longestApply: options.longestApply,
      clockUncertainty: options.clock,
      lifetime: options.lifetime,
    },
    (option) => NAMES[option],
    cron,
  );
  const title = cron === undefined ? `runs every ${every}` : `runs at ${cron.trim()} (UTC)`;
  const kind = options.pushed === true ? "pushed" : "in state";
  try {
    const plan = planRotation(settings);
    const rule = plannedRule(settings, kind);
    return { title, settings, plan, refusal: undefined, rule };
  } catch (error) {
    if (!IamTokensError.is(error) || error.code !== "ERR_SCHEDULE_GAP") throw error;
    return { title, settings, plan: undefined, refusal: error, rule: earliestRule(settings, kind) };
  }
}
