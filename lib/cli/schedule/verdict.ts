import { longestPause } from "../../rotation/cron";
import { planPushedRotation, planRotation, type RotationPlan } from "../../rotation/rotation-plan";
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
}

/** A schedule with its evaluation. */
export interface Verdict {
  /** The schedule in the user's words: `runs every 6h`. */
  readonly title: string;
  readonly settings: RotationSettings;
  /** Undefined if the schedule is refused. */
  readonly plan: RotationPlan | undefined;
  readonly refusal: IamTokensError | undefined;
  /** Whether the token is pushed into another system, instead of being in the state. */
  readonly pushed: boolean;
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
export function judge(options: ScheduleOptions, now: number): Verdict {
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
  const intervalMs = cron === undefined ? toInterval(every, "--every") : longestPause(cron, now);
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
  );
  const title = cron === undefined ? `runs every ${every}` : `runs at ${cron.trim()} (UTC)`;
  const pushed = options.pushed === true;
  try {
    if (pushed) planPushedRotation(settings);
    return { title, settings, plan: planRotation(settings), refusal: undefined, pushed };
  } catch (error) {
    if (!IamTokensError.is(error) || error.code !== "ERR_SCHEDULE_GAP") throw error;
    return { title, settings, plan: undefined, refusal: error, pushed };
  }
}
