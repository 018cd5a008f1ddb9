import { longestPause } from "../../rotation/cron";
import { arithmetic, pushedRotationOf, rotateWhenRemainingOf } from "../../rotation/rotation-plan";
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

const NAMES: Readonly<Record<keyof RotationOptions, string>> = {
  missedRuns: "--missed",
  startDelay: "--start-delay",
  longestApply: "--longest-apply",
  clockUncertainty: "--clock",
  lifetime: "--lifetime",
};

/**
 * Evaluates the schedule of a command line, and says the lines for a reader.
 *
 * @throws ERR_USAGE for invalid input; ERR_SCHEDULE_GAP
 */
export function judge(options: ScheduleOptions, now: number, say: (line: string) => void): void {
  const settings = usage(undefined, () => settingsOf(options, now));
  const { cron, every, pushed = false } = options;
  say(
    cron === undefined
      ? `Runs every ${every}.`
      : `Runs at ${cron} (UTC), at most ${formatExact(settings.intervalMs)} apart.`,
  );
  const wanted = pushed ? pushedArguments(settings) : stateArguments(settings);
  say("It leaves no gap.");
  say(`${arithmetic(settings, pushed)}.`);
  say(wanted);
}

function settingsOf(options: ScheduleOptions, now: number): RotationSettings {
  const { every, cron, missed } = options;
  if (every === undefined && cron === undefined) {
    throw new IamTokensError("ERR_USAGE", "The schedule is missing.", {
      remedy: 'Give how often it runs, "--every 6h", or when, "--cron \'0 */6 * * *\'".',
    });
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
  const rotateWhenRemainingMs = rotateWhenRemainingOf(settings);
  return `For a token in the state: rotate_when_remaining = "${formatExact(rotateWhenRemainingMs)}"`;
}

function pushedArguments(settings: RotationSettings): string {
  const { rotateEveryMs, minRemainingMs } = pushedRotationOf(settings);
  return `For a pushed token: rotate_every = "${formatExact(rotateEveryMs)}", min_remaining = "${formatExact(minRemainingMs)}"`;
}
