import type { RotationRule } from "./rotation-rule";
import type { RotationSettings } from "./rotation-settings";

/** A planned run; a missed one has no other times. Milliseconds since the first token's run. */
interface Run {
  readonly plannedAt: number;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly result: "rotated" | "nothing was due" | "missed";
}

/** A token that consumers have. */
interface HeldToken {
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** From this time on, all consumers have it. */
  readonly heldFrom: number;
  /** Until this time, the last of them has it; if it is later than `expiresAt`, there is a gap. */
  readonly heldUntil: number;
}

/** Runs and the tokens that they bring. */
export interface Course {
  readonly runs: readonly Run[];
  readonly tokens: readonly HeldToken[];
}

/** The same period as planned and in the worst case. */
export interface ScheduleChart {
  readonly untilMs: number;
  readonly asPlanned: Course;
  readonly atWorst: Course;
}

export function toScheduleChart(settings: RotationSettings, rule: RotationRule): ScheduleChart {
  const late = lateRun(settings, rule);
  const untilMs = Math.max(rule.lifetimeMs, late.endedAt) + 0.25 * rule.lifetimeMs;
  return {
    untilMs,
    asPlanned: asPlanned(settings, rule, untilMs),
    atWorst: atWorst(settings, rule, late, untilMs),
  };
}

/** Each run starts on time and takes no time, with a correct clock. */
function asPlanned({ intervalMs }: RotationSettings, rule: RotationRule, untilMs: number): Course {
  const { lifetimeMs } = rule;
  // A token in state is due below its threshold, a rotation at its time.
  const runsInUse = Math.max(
    1,
    rule.kind === "in state"
      ? Math.floor((lifetimeMs - rule.rotateWhenRemainingMs) / intervalMs) + 1
      : Math.ceil(rule.rotateEveryMs / intervalMs),
  );
  const runs = Array.from({ length: Math.floor(untilMs / intervalMs) + 1 }, (_, index) =>
    runAt(index * intervalMs, index % runsInUse === 0 ? "rotated" : "nothing was due"),
  );
  const rotations = runs.filter(({ result }) => result === "rotated");
  const tokens = rotations.map(({ plannedAt }, index) => ({
    issuedAt: plannedAt,
    expiresAt: plannedAt + lifetimeMs,
    heldFrom: plannedAt,
    heldUntil: rotations[index + 1]?.plannedAt ?? Math.min(untilMs, plannedAt + lifetimeMs),
  }));
  return { runs, tokens };
}

/**
 * Every value is at its limit, at the worst moment: if a schedule leaves a gap, it is here.
 *
 * A manual run issues a token at time 0. One of the planned runs, with the largest error of its
 * clock, only just finds it not due. Then as many runs as possible are missed. The next one,
 * `late`, starts as late and takes as long as possible.
 */
function atWorst(
  settings: RotationSettings,
  rule: RotationRule,
  late: Run,
  untilMs: number,
): Course {
  const { intervalMs, missedRuns, longestApplyMs } = settings;
  const { lifetimeMs } = rule;
  const left = leftAloneAt(settings, rule);
  const pushed = rule.kind === "pushed";
  const first = { ...runAt(0, "rotated"), endedAt: pushed ? longestApplyMs : 0 };
  const before = Array.from({ length: Math.floor(left / intervalMs) + 1 }, (_, back) =>
    runAt(left - back * intervalMs, "nothing was due"),
  );
  const missed = Array.from({ length: missedRuns }, (_, index) =>
    runAt(left + (index + 1) * intervalMs, "missed"),
  );
  // A pushed token may come from a cache, with only its minimum left.
  const issuedAt = pushed ? Math.min(0, rule.minRemainingMs - lifetimeMs) : 0;
  const lateExpiresAt = late.startedAt + lifetimeMs;
  return {
    runs: [
      first,
      ...before.filter(({ plannedAt }) => plannedAt > first.endedAt).reverse(),
      ...missed,
      late,
    ],
    tokens: [
      {
        issuedAt,
        expiresAt: issuedAt + lifetimeMs,
        heldFrom: first.endedAt,
        heldUntil: late.endedAt,
      },
      {
        issuedAt: late.startedAt,
        expiresAt: lateExpiresAt,
        heldFrom: late.endedAt,
        heldUntil: Math.max(late.endedAt, Math.min(untilMs, lateExpiresAt)),
      },
    ],
  };
}

function lateRun(settings: RotationSettings, rule: RotationRule): Run {
  const { intervalMs, missedRuns, startDelayMs, longestApplyMs } = settings;
  const plannedAt = leftAloneAt(settings, rule) + (missedRuns + 1) * intervalMs;
  const startedAt = plannedAt + startDelayMs;
  return { ...runAt(plannedAt, "rotated"), startedAt, endedAt: startedAt + longestApplyMs };
}

/** The latest time at which a plan leaves the first token alone. */
function leftAloneAt(
  { longestApplyMs, clockUncertaintyMs }: RotationSettings,
  rule: RotationRule,
): number {
  const latest =
    rule.kind === "in state"
      ? rule.lifetimeMs - rule.rotateWhenRemainingMs + clockUncertaintyMs
      : longestApplyMs + rule.rotateEveryMs + 2 * clockUncertaintyMs - 1;
  return Math.max(0, latest);
}

const runAt = (at: number, result: Run["result"]): Run => ({
  plannedAt: at,
  startedAt: at,
  endedAt: at,
  result,
});

/**
 * Minimum remaining lifetime of the old token when the last consumer has the new one; a negative
 * value is a gap.
 */
export function spareOf({ tokens }: Course): number | undefined {
  const spare = tokens.slice(0, -1).map(({ expiresAt, heldUntil }) => expiresAt - heldUntil);
  return spare.length === 0 ? undefined : Math.min(...spare);
}
