import { longestPause } from "../../rotation/cron";
import {
  arithmetic,
  RECIPES,
  type Recipe,
  type RotationPlan,
  rotationPlanOf,
} from "../../rotation/rotation-plan";
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
  readonly stored?: true;
  readonly readBack?: true;
}

const NAMES: Readonly<Record<keyof RotationOptions, string>> = {
  missedRuns: "--missed",
  startDelay: "--start-delay",
  longestApply: "--longest-apply",
  clockUncertainty: "--clock",
  lifetime: "--lifetime",
};

const CALLED: Readonly<Record<Recipe, string>> = {
  inState: "a token in the state",
  readBack: "a token in the state whose every consumer is read back",
  pushed: "a pushed token",
  stored: "a pushed token, with stored_token_wo",
};

/**
 * Evaluates the schedule of a command line, and says the result.
 *
 * @throws ERR_USAGE for invalid input; ERR_SCHEDULE_GAP
 */
export function judge(options: ScheduleOptions, now: number, say: (line: string) => void): void {
  const settings = usage(undefined, () => settingsOf(options, now));
  const recipe = usage(undefined, () => recipeOf(options));
  const { cron, every } = options;
  say(
    cron === undefined
      ? `Runs every ${every}.`
      : `Runs at ${cron} (UTC), at most ${formatExact(settings.intervalMs)} apart.`,
  );
  const plan = rotationPlanOf(settings, recipe);
  say("It leaves no gap.");
  say(`${arithmetic(settings, recipe)}.`);
  const pairs = Object.entries(argumentsOf(plan, recipe)).map(
    ([name, value]) => `${name} = "${value}"`,
  );
  say(`For ${CALLED[recipe]}: ${pairs.join(", ")}`);
}

function recipeOf({ pushed, stored, readBack }: ScheduleOptions): Recipe {
  if (stored && !pushed)
    throw new IamTokensError("ERR_USAGE", "--stored is given without --pushed.", {
      remedy: "Add --pushed: only a pushed token is looked at in its store.",
    });
  if (pushed) return stored ? "stored" : "pushed";
  return readBack ? "readBack" : "inState";
}

/** The arguments in HCL. */
function argumentsOf(plan: RotationPlan, recipe: Recipe): Readonly<Record<string, string>> {
  const { rotateWhenRemainingMs, rotateEveryMs, minRemainingMs } = plan;
  return RECIPES[recipe].pushed
    ? { rotate_every: formatExact(rotateEveryMs), min_remaining: formatExact(minRemainingMs) }
    : { rotate_when_remaining: formatExact(rotateWhenRemainingMs) };
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
