import {
  formatExact,
  IAM_TOKEN_LIFETIME_MS,
  IamTokensError,
  parseDuration,
  quote,
} from "../tokens";

/** Settings of a schedule. Times in milliseconds. */
export interface RotationSettings {
  /** The longest time between two planned runs. */
  readonly intervalMs: number;
  /**
   * How many runs may be bad between two successful pushes: missed while a rotation was due, or
   * failed after they rotated.
   */
  readonly missedRuns: number;
  /** The longest time between the planned and the real start of a run. */
  readonly startDelayMs: number;
  /**
   * The longest time from the start of a run until the last consumer has the token that it issued.
   */
  readonly longestApplyMs: number;
  /**
   * The largest difference between the clocks of the service and of a machine that runs Terraform.
   */
  readonly clockUncertaintyMs: number;
  /** How long a token lives from its issue. */
  readonly lifetimeMs: number;
}

/**
 * The settings without the interval, in the users' form: durations are strings, and a missing
 * setting has its default.
 */
export interface RotationOptions {
  readonly missedRuns?: unknown;
  readonly startDelay?: unknown;
  readonly longestApply?: unknown;
  readonly clockUncertainty?: unknown;
  readonly lifetime?: unknown;
}

/** Default settings. */
export const ROTATION_DEFAULTS = {
  missedRuns: 1,
  startDelay: "15m",
  longestApply: "30m",
  clockUncertainty: "5m",
  lifetime: formatExact(IAM_TOKEN_LIFETIME_MS),
} as const;

const MISSED_RUNS_MAX = 1000;

/**
 * The settings of a schedule.
 *
 * @param nameOf returns an option's name in the user's program
 * @throws ERR_DURATION_INVALID, ERR_SCHEDULE_INVALID
 */
export function toRotationSettings(
  intervalMs: number,
  options: RotationOptions,
  nameOf: (option: keyof RotationOptions) => string = (option) => option,
): RotationSettings {
  const durationOf = (option: Exclude<keyof RotationOptions, "missedRuns">, zeroAllowed: boolean) =>
    toDuration(nameOf(option), options[option] ?? ROTATION_DEFAULTS[option], zeroAllowed);
  return {
    intervalMs,
    missedRuns: toMissedRuns(
      nameOf("missedRuns"),
      options.missedRuns ?? ROTATION_DEFAULTS.missedRuns,
    ),
    startDelayMs: durationOf("startDelay", true),
    longestApplyMs: durationOf("longestApply", true),
    clockUncertaintyMs: durationOf("clockUncertainty", true),
    lifetimeMs: durationOf("lifetime", false),
  };
}

/** A duration above zero. */
export function toInterval(value: unknown, name = "The interval"): number {
  return toDuration(name, value, false);
}

function toMissedRuns(name: string, value: unknown): number {
  if (isInteger(value) && value >= 0 && value <= MISSED_RUNS_MAX) return value;
  const quoted =
    typeof value === "number" ? value : typeof value === "string" ? quote(value) : typed(value);
  throw new IamTokensError("ERR_SCHEDULE_INVALID", `${name} is ${quoted}.`, {
    allowed: `a whole number from 0 to ${MISSED_RUNS_MAX}`,
    remedy: "Say how many runs may be missed, or fail, between two successful pushes.",
  });
}

const isInteger = (value: unknown): value is number => Number.isInteger(value);

function toDuration(name: string, value: unknown, zeroAllowed: boolean): number {
  if (typeof value !== "string") {
    throw new IamTokensError("ERR_DURATION_INVALID", `${name} is ${typed(value)}.`, {
      allowed: 'a string such as "30m" or "6h"',
    });
  }
  if (zeroAllowed && /^0(ms|s|m|h|d)?$/.test(value)) return 0;
  try {
    return parseDuration(value, name);
  } catch (error) {
    throw zeroAllowed && IamTokensError.is(error)
      ? error.with({ allowed: `${error.allowed}; or "0s"` })
      : error;
  }
}

const typed = (value: unknown) => `a value of type ${value === null ? "null" : typeof value}`;
