import type { RotationSettings } from "../../lib/rotation/rotation-settings";
import type { Run } from "./simulate";

/**
 * A generator of numbers from 0 to before 1, the same for the same seed (mulberry32's recurrence).
 */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * How bad a stretch of time is: the chance of a run to be missed, and how delays and clocks lie.
 */
interface Weather {
  readonly missing: number;
  readonly failing: number;
  readonly byHand: number;
  readonly extreme: number;
}

/**
 * Runs as bad luck within the settings may have them: planned times as given (no further apart than
 * the interval), of which at most the tolerated number in a row is missed or fails; starts delayed,
 * applies slow, clocks off, by nothing, by all that is tolerated or by anything between; runs by
 * hand between them. The weather changes every few days.
 */
export function* randomRuns(
  settings: RotationSettings,
  planned: readonly number[],
  random: () => number,
): Generator<Run> {
  const { missedRuns, startDelayMs, longestApplyMs, clockUncertaintyMs } = settings;
  let inARow = 0;
  let busyUntil = 0;
  let weather: Weather = { missing: 0.5, failing: 0.2, byHand: 0.1, extreme: 0.5 };

  const upTo = (most: number) => {
    if (random() >= weather.extreme) return Math.floor(random() * (most + 1));
    return random() < 0.5 ? most : 0;
  };
  const run = (
    plannedAt: number,
    startedAt: number,
    endsBy: number,
    outcome: Run["outcome"],
    byHand: boolean,
  ): Run => {
    const endedAt = Math.max(startedAt, Math.min(startedAt + upTo(longestApplyMs), endsBy));
    const within = () => startedAt + upTo(endedAt - startedAt);
    const clockAheadMs = clockUncertaintyMs - upTo(2 * clockUncertaintyMs);
    const issuedAt = within();
    // iam_rotation and the token that goes with it are independent of each other within an apply.
    const notedAt = within();
    return {
      plannedAt,
      byHand,
      outcome,
      startedAt,
      issuedAt,
      notedAt,
      endedAt,
      clockAheadMs,
      cachedForMs: upTo(settings.lifetimeMs),
    };
  };

  for (const [index, plannedAt] of planned.entries()) {
    if (random() < 0.05) {
      weather = {
        missing: random(),
        failing: random() * 0.5,
        byHand: random() * 0.3,
        extreme: random(),
      };
    }
    const startedAt = Math.max(plannedAt + upTo(startDelayMs), busyUntil);
    const locked = startedAt > plannedAt + startDelayMs;
    const bad = locked || (inARow < missedRuns && random() < weather.missing);
    inARow = bad ? inARow + 1 : 0;
    if (locked || (bad && random() >= weather.failing)) {
      yield { ...run(plannedAt, startedAt, startedAt, "missed", false), endedAt: startedAt };
    } else {
      // A run that goes on must not make more of the next ones miss their time than are tolerated.
      const lastChance = planned[index + 1 + missedRuns - inARow];
      const endsBy =
        lastChance === undefined ? Number.POSITIVE_INFINITY : lastChance + startDelayMs;
      const made = run(plannedAt, startedAt, endsBy, bad ? "failed" : "applied", false);
      busyUntil = made.endedAt;
      yield made;
    }
    const next = planned[index + 1];
    if (next !== undefined && random() < weather.byHand) {
      const begins =
        Math.max(busyUntil, plannedAt) + upTo(Math.max(0, next - Math.max(busyUntil, plannedAt)));
      if (begins <= next) {
        const fails = random() < weather.failing;
        const made = run(begins, begins, next, fails ? "failed" : "applied", true);
        busyUntil = Math.max(busyUntil, made.endedAt);
        if (!fails) inARow = 0;
        yield made;
      }
    }
  }
}
