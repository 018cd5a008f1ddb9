import type { RotationSettings } from "../../tokens/rotation/rotation-settings";
import { type Rule, type Run, type Simulation, simulate } from "../../tokens/rotation/simulate";
import { quickRun, worstCase } from "../../tokens/rotation/worst-case";

/**
 * The chart, for characters or for a picture: the same period as planned and in the worst case.
 */
export interface ScheduleChart {
  /** Milliseconds from the first token on. */
  readonly untilMs: number;
  readonly asPlanned: Simulation;
  readonly atWorst: Simulation;
}

/** Simulates both. */
export function toScheduleChart(settings: RotationSettings, rule: Rule): ScheduleChart {
  const { runs, late } = worstCase(settings, rule);
  const untilMs = Math.max(rule.lifetimeMs, late.endedAt) + 0.25 * rule.lifetimeMs;
  const play = (all: readonly Run[]) =>
    extendLastToken(
      untilMs,
      simulate(
        rule,
        all.filter(({ plannedAt }) => plannedAt <= untilMs),
      ),
    );
  return { untilMs, asPlanned: play(onTime(settings, untilMs)), atWorst: play(runs) };
}

/** Each run starts on time and takes no time, with a correct clock. */
function onTime({ intervalMs }: RotationSettings, untilMs: number): readonly Run[] {
  return Array.from({ length: Math.floor(untilMs / intervalMs) + 1 }, (_, index) =>
    quickRun(index * intervalMs),
  );
}

/** The last token stays in use after the last run. */
function extendLastToken(untilMs: number, simulation: Simulation): Simulation {
  const tokens = simulation.tokens.map((token, index, { length }) =>
    index === length - 1
      ? { ...token, heldUntil: Math.max(token.heldUntil, Math.min(untilMs, token.expiresAt)) }
      : token,
  );
  return { ...simulation, tokens };
}

/** The marks of an axis of time. */
interface Axis {
  readonly unit: "minutes" | "hours" | "days";
  readonly marks: readonly { readonly at: number; readonly label: string }[];
}

const MINUTE_MS = 60_000;
const STEPS_MIN = [
  1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1440, 2880, 7200, 14_400, 43_200, 144_000,
  525_600,
];

/** Marks from 0 on, with about this maximum number. */
export function axisOf(untilMs: number, mostMarks: number): Axis {
  const minutes = STEPS_MIN.find((step) => untilMs / (step * MINUTE_MS) <= mostMarks) ?? 5_256_000;
  const [unit, inUnit] =
    minutes >= 2880
      ? (["days", 1440] as const)
      : minutes >= 60
        ? (["hours", 60] as const)
        : (["minutes", 1] as const);
  const marks = [];
  for (let at = 0; at <= untilMs; at += minutes * MINUTE_MS)
    marks.push({ at, label: String(at / MINUTE_MS / inUnit) });
  return { unit, marks };
}
