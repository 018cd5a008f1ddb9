import { arithmetic } from "../../rotation/rotation-plan";
import type { RotationSettings } from "../../rotation/rotation-settings";
import { formatExact } from "../../tokens";
import type { Verdict } from "./verdict";

/** Description of a schedule: line by line. */
export function settingsOf({ title, settings, pushed }: Verdict): string {
  const { intervalMs, missedRuns, startDelayMs, longestApplyMs, clockUncertaintyMs, lifetimeMs } =
    settings;
  return [
    `${title.charAt(0).toUpperCase()}${title.slice(1)}`,
    ...(title.includes("every") ? [] : [`at most ${formatExact(intervalMs)} apart`]),
    missedRuns === 0 ? "none may be missed" : `${missedRuns} in a row may be missed`,
    `start delay up to ${formatExact(startDelayMs)}`,
    `apply up to ${formatExact(longestApplyMs)}`,
    `clocks within ${formatExact(clockUncertaintyMs)}`,
    `a token ${pushed ? "pushed" : "in state"} lives ${formatExact(lifetimeMs)}`,
  ].join(", ");
}

/** The result in one sentence, and its calculation. */
export function resultOf({ settings, plan, pushed }: Verdict): {
  readonly result: string;
  readonly sum: string;
} {
  const result =
    plan === undefined ? "It leaves a gap." : `It leaves no gap.${survivedBy(settings)}`;
  return { result, sum: `${arithmetic(settings, pushed)}.` };
}

/** Failures that leave no gap: a sentence, or an empty string if no failure is tolerated. */
function survivedBy(settings: RotationSettings): string {
  const { missedRuns, startDelayMs, longestApplyMs, clockUncertaintyMs } = settings;
  const survived = [
    ...(missedRuns > 0 ? [`${missedRuns} missed run${missedRuns > 1 ? "s" : ""} in a row`] : []),
    ...(startDelayMs > 0 ? [`a start delay of ${formatExact(startDelayMs)}`] : []),
    ...(longestApplyMs > 0 ? [`an apply of ${formatExact(longestApplyMs)}`] : []),
    ...(clockUncertaintyMs > 0 ? [`clocks ${formatExact(clockUncertaintyMs)} apart`] : []),
  ];
  if (survived.length === 0) return "";
  return ` It survives ${survived.join(", ")}${survived.length > 1 ? ", all at once" : ""}.`;
}

/** Arguments for a configuration; none if the schedule is refused. */
export function argumentsOf({ plan }: Verdict): readonly string[] {
  if (plan === undefined) return [];
  const { rotateWhenRemainingMs, pushed } = plan;
  return [
    `for a token in the state    rotate_when_remaining = "${formatExact(rotateWhenRemainingMs)}"`,
    pushed === undefined
      ? "for a pushed token          the lifetime is too short: see --pushed"
      : `for a pushed token          rotate_every = "${formatExact(pushed.rotateEveryMs)}", min_remaining = "${formatExact(pushed.minRemainingMs)}"`,
  ];
}
