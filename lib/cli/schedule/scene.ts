import type { RotationSettings } from "../../tokens/rotation/rotation-settings";
import { type Rule, type Run, type Simulation, simulate } from "../../tokens/rotation/simulate";
import { worstCase } from "../../tokens/rotation/worst-case";

/**
 * What is drawn, in characters or as a picture: the same stretch of time as it should go, and at
 * its worst.
 */
export interface Scene {
  /** Milliseconds from the first token on. */
  readonly untilMs: number;
  readonly asPlanned: Simulation;
  readonly atWorst: Simulation;
}

/** Plays both. */
export function toScene(settings: RotationSettings, rule: Rule): Scene {
  const { runs, late } = worstCase(settings, rule);
  const untilMs = Math.max(rule.lifetimeMs, late.endedAt) + 0.25 * rule.lifetimeMs;
  const play = (all: readonly Run[]) =>
    heldToTheEdge(
      untilMs,
      simulate(
        rule,
        all.filter(({ plannedAt }) => plannedAt <= untilMs),
      ),
    );
  return { untilMs, asPlanned: play(onTime(settings, untilMs)), atWorst: play(runs) };
}

/** Each run at its time and done at once, on a clock that is right. */
function onTime({ intervalMs }: RotationSettings, untilMs: number): readonly Run[] {
  return Array.from({ length: Math.floor(untilMs / intervalMs) + 1 }, (_, index): Run => {
    const at = index * intervalMs;
    const times = { plannedAt: at, startedAt: at, issuedAt: at, notedAt: at, endedAt: at };
    return { ...times, byHand: false, outcome: "applied", clockAheadMs: 0, cachedForMs: 0 };
  });
}

/** The last token is held on, and not only until the last run. */
function heldToTheEdge(untilMs: number, simulation: Simulation): Simulation {
  const tokens = simulation.tokens.map((token, index, { length }) =>
    index === length - 1
      ? { ...token, heldUntil: Math.max(token.heldUntil, Math.min(untilMs, token.expiresAt)) }
      : token,
  );
  return { ...simulation, tokens };
}
