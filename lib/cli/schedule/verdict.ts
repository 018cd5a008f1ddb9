import { longestPause } from "../../rotation/cron";
import { arithmetic, planPushedRotation, planRotation } from "../../rotation/rotation-plan";
import {
  type RotationOptions,
  type RotationSettings,
  toInterval,
  toRotationSettings,
} from "../../rotation/rotation-settings";
import { formatExact, IamTokensError } from "../../tokens";
import { usage } from "../usage";

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

/** The evaluation of a schedule. */
export interface Verdict {
  /** Lines for a reader. */
  readonly lines: readonly string[];
  /** Undefined if it leaves no gap. */
  readonly refusal?: IamTokensError;
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
 * @throws ERR_USAGE for invalid input
 */
export function judge(options: ScheduleOptions, now: number): Verdict {
  const settings = usage(undefined, () => settingsOf(options, now));
  const pushed = options.pushed === true;
  const title =
    options.cron === undefined
      ? `Runs every ${options.every}.`
      : `Runs at ${options.cron} (UTC), at most ${formatExact(settings.intervalMs)} apart.`;
  try {
    return {
      lines: [
        title,
        "It leaves no gap.",
        `${arithmetic(settings, pushed)}.`,
        pushed ? pushedArguments(settings) : stateArguments(settings),
      ],
    };
  } catch (error) {
    if (!IamTokensError.is(error) || error.code !== "ERR_SCHEDULE_GAP") throw error;
    return { lines: [title, "It leaves a gap."], refusal: error };
  }
}

function settingsOf(options: ScheduleOptions, now: number): RotationSettings {
  const { every, cron, missed } = options;
  if (every === undefined && cron === undefined) {
    throw new IamTokensError("ERR_USAGE", "The schedule is missing.", {
      remedy: 'Give how often it runs, "--every 6h", or when, "--cron \'0 */6 * * *\'".',
    });
  }
  if (every !== undefined && cron !== undefined) {
    const problem = "--every and --cron are both given; a schedule has one of them.";
    throw new IamTokensError("ERR_USAGE", problem, { remedy: "Remove one of them." });
  }
  const intervalMs = cron === undefined ? toInterval(every, "--every") : longestPause(cron, now);
  const given = {
    missedRuns: missed !== undefined && /^\d{1,6}$/.test(missed) ? Number(missed) : missed,
    startDelay: options.startDelay,
    longestApply: options.longestApply,
    clockUncertainty: options.clock,
    lifetime: options.lifetime,
  };
  return toRotationSettings(intervalMs, given, (option) => NAMES[option]);
}

function stateArguments(settings: RotationSettings): string {
  const { rotateWhenRemainingMs } = planRotation(settings);
  return `For a token in the state: rotate_when_remaining = "${formatExact(rotateWhenRemainingMs)}"`;
}

function pushedArguments(settings: RotationSettings): string {
  const { rotateEveryMs, minRemainingMs } = planPushedRotation(settings);
  return `For a pushed token: rotate_every = "${formatExact(rotateEveryMs)}", min_remaining = "${formatExact(minRemainingMs)}"`;
}
