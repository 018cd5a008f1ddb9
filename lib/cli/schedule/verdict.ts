import { IamTokensError } from "../../tokens";
import { longestInterval } from "../../tokens/rotation/calendar";
import { parseCron } from "../../tokens/rotation/cron";
import {
  planPushedRotation,
  planRotation,
  type RotationPlan,
} from "../../tokens/rotation/rotation-plan";
import {
  type RotationOptions,
  type RotationSettings,
  toInterval,
  toRotationSettings,
} from "../../tokens/rotation/rotation-settings";
import type { Rule } from "../../tokens/rotation/simulate";

/** The options of `iam-tokens schedule`, as commander gives them. */
export interface ScheduleOptions {
  readonly every?: string;
  readonly cron?: string;
  readonly missed?: string;
  readonly startDelay?: string;
  readonly longestApply?: string;
  readonly clock?: string;
  readonly lifetime?: string;
  readonly pushed?: true;
  readonly svg?: string;
  readonly json?: true;
}

/** A schedule, judged. */
export interface Verdict {
  /** The schedule as the user has written it: `runs every 6h`. */
  readonly title: string;
  readonly settings: RotationSettings;
  /** Undefined when the schedule is refused. */
  readonly plan: RotationPlan | undefined;
  readonly refusal: IamTokensError | undefined;
  /** What is drawn: that of the plan, or the best that can be done where there is none. */
  readonly rule: Rule;
}

const NAMES: Readonly<Record<keyof RotationOptions, string>> = {
  missedRuns: "--missed",
  startDelay: "--start-delay",
  longestApply: "--longest-apply",
  clockUncertainty: "--clock",
  lifetime: "--lifetime",
};

/**
 * Judges the schedule of a command line.
 *
 * @throws ERR_USAGE, ERR_DURATION_INVALID, ERR_SCHEDULE_INVALID for what cannot be read
 */
export function judge(options: ScheduleOptions): Verdict {
  const { every, cron, missed } = options;
  if ((every === undefined) === (cron === undefined)) {
    throw new IamTokensError(
      "ERR_USAGE",
      every === undefined
        ? "The schedule is missing."
        : "--every and --cron are both given, and a schedule is one of them.",
      {
        remedy:
          every === undefined
            ? 'Give how often it runs, "--every 6h", or when, "--cron \'0 */6 * * *\'".'
            : "Leave one of them out.",
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
  );
  const title = cron === undefined ? `runs every ${every}` : `runs at ${cron.trim()} (UTC)`;
  const kind = options.pushed === true ? "pushed" : "in state";
  try {
    const plan = planRotation(settings);
    const rule = ruleOf(settings, kind, plan.rotateWhenRemainingMs);
    return { title, settings, plan, refusal: undefined, rule };
  } catch (error) {
    if (!IamTokensError.is(error) || error.code !== "ERR_SCHEDULE_GAP") throw error;
    return { title, settings, plan: undefined, refusal: error, rule: bestEffort(settings, kind) };
  }
}

function ruleOf(
  settings: RotationSettings,
  kind: Rule["kind"],
  rotateWhenRemainingMs: number,
): Rule {
  const { lifetimeMs } = settings;
  return kind === "in state"
    ? { kind, lifetimeMs, rotateWhenRemainingMs }
    : { kind, lifetimeMs, ...planPushedRotation(settings) };
}

/** As early as the provider lets a token rotate, and it is still too late. */
function bestEffort(
  { lifetimeMs, clockUncertaintyMs }: RotationSettings,
  kind: Rule["kind"],
): Rule {
  const most = Math.max(1_000, lifetimeMs - clockUncertaintyMs);
  return kind === "in state"
    ? { kind, lifetimeMs, rotateWhenRemainingMs: Math.max(1_000, most - 1_000) }
    : { kind, lifetimeMs, rotateEveryMs: 1_000, minRemainingMs: most };
}
