import type { RotationRule as Rule } from "../../lib/rotation/rotation-rule";
import type { RotationSettings } from "../../lib/rotation/rotation-settings";
import type { Run } from "./simulate";

/**
 * The runs that bring consumers as close to an expired token as the settings allow: every value at
 * its limit, at the worst moment. If a schedule leaves a gap, it shows here.
 *
 * A manual run issues a token at time 0, without delay. The planned runs after it are placed such
 * that one of them, with the largest error of its clock, only just finds the token not due. Then as
 * many runs as possible are missed. The next one, `late`, starts as late and takes as long as
 * possible: it decides. After it, all runs succeed.
 */
export function worstCase(
  settings: RotationSettings,
  rule: Rule,
): { readonly runs: readonly Run[]; readonly late: Run } {
  const { intervalMs, missedRuns, startDelayMs, longestApplyMs, clockUncertaintyMs } = settings;
  const left = leftAloneAt(settings, rule);
  const first = firstRun(settings, rule);
  const runs: Run[] = [first];
  // The planned runs before it find nothing due either.
  for (let back = Math.floor(left / intervalMs); back >= 0; back--) {
    const at = left - back * intervalMs;
    if (at > first.endedAt) runs.push({ ...quickRun(at), clockAheadMs: -clockUncertaintyMs });
  }
  for (let missed = 1; missed <= missedRuns; missed++) {
    runs.push({ ...quickRun(left + missed * intervalMs), outcome: "missed" });
  }
  const plannedAt = left + (missedRuns + 1) * intervalMs;
  const startedAt = plannedAt + startDelayMs;
  const endedAt = startedAt + longestApplyMs;
  const late = {
    ...quickRun(plannedAt),
    startedAt,
    issuedAt: startedAt,
    notedAt: startedAt,
    endedAt,
  };
  runs.push(late);
  const ordinary = Math.ceil((rule.lifetimeMs * 1.2) / intervalMs);
  for (let next = 1; next <= Math.min(ordinary, 200); next++) {
    const at = plannedAt + next * intervalMs;
    if (at >= endedAt) runs.push(quickRun(at));
  }
  return { runs, late };
}

/**
 * The run that issues the first token. A pushed token was opened at its start, and is noted at its
 * end.
 */
function firstRun({ longestApplyMs, clockUncertaintyMs }: RotationSettings, rule: Rule): Run {
  const run = { ...quickRun(0), byHand: true };
  if (rule.kind === "in state") return run;
  const noted = {
    notedAt: longestApplyMs,
    endedAt: longestApplyMs,
    clockAheadMs: clockUncertaintyMs,
  };
  return { ...run, ...noted, cachedForMs: rule.lifetimeMs };
}

/** The latest time at which a plan leaves the first token alone. */
function leftAloneAt({ longestApplyMs, clockUncertaintyMs }: RotationSettings, rule: Rule): number {
  const latest =
    rule.kind === "in state"
      ? rule.lifetimeMs - rule.rotateWhenRemainingMs + clockUncertaintyMs
      : longestApplyMs + rule.rotateEveryMs + 2 * clockUncertaintyMs - 1;
  return Math.max(0, latest);
}

/** A run that takes no time, on a clock that is right. */
export function quickRun(plannedAt: number): Run {
  return {
    plannedAt,
    byHand: false,
    outcome: "applied",
    startedAt: plannedAt,
    issuedAt: plannedAt,
    notedAt: plannedAt,
    endedAt: plannedAt,
    clockAheadMs: 0,
    cachedForMs: 0,
  };
}
