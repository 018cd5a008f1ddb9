import * as fc from "fast-check";
import { neededLifetime, RECIPES, type Recipe } from "../../lib/rotation/rotation-plan";
import type { RotationSettings } from "../../lib/rotation/rotation-settings";
import { Pipeline, quickRun, type Rule, type Run } from "./simulate";

const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Whole seconds, in milliseconds; often none. */
const upToMinutes = (most: number) =>
  fc.oneof(fc.constant(0), fc.nat({ max: most * 60 })).map((count) => count * SECOND);

/** Settings of all sorts, except the lifetime. */
const anySettings = fc
  .record({
    missedRuns: fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 12 })),
    startDelayMs: upToMinutes(40),
    longestApplyMs: upToMinutes(40),
    // Above the provider's tolerance, a clock that is behind makes it rotate earlier.
    clockUncertaintyMs: upToMinutes(5),
  })
  .chain((others) =>
    fc
      .integer({ min: 10, max: Math.max(10, Math.floor((18 * 60) / (others.missedRuns + 1))) })
      .map((minutes) => ({ ...others, intervalMs: minutes * MINUTE })),
  );

/** Settings whose lifetime is, often only just, longer than what they need. */
export const acceptedSettings = (recipe: Recipe) =>
  fc
    .tuple(anySettings, upToMinutes(24 * 60))
    .map(([settings, more]): RotationSettings => {
      const needed = neededLifetime({ ...settings, lifetimeMs: 0 }, recipe);
      const least = needed + (settings.missedRuns + 1) * SECOND;
      return { ...settings, lifetimeMs: Math.max(least, Math.min(DAY, least + more)) };
    })
    // A token never lives longer: the provider would not believe it.
    .filter(({ lifetimeMs }) => lifetimeMs <= DAY);

/**
 * The runs that bring consumers as close to an expired token as `bad` bad runs allow: every value
 * at its limit, at the worst moment.
 *
 * In each stage, a run with the largest error of its clock only just finds the token not due; the
 * next one starts as late and takes as long as possible. If a failed push is not repeated, each bad
 * run is a stage of its own, which ends with a rotation that reaches no consumer.
 */
export function playWorst(settings: RotationSettings, rule: Rule, bad: number): Pipeline {
  const { intervalMs, startDelayMs, longestApplyMs, clockUncertaintyMs } = settings;
  const { pushed, repeats } = RECIPES[rule.recipe];
  const pipeline = new Pipeline(rule);
  const slow = (startedAt: number, more: Partial<Run>): Run => {
    const endedAt = startedAt + longestApplyMs;
    const late = { notedAt: endedAt, endedAt, issuedAt: pushed ? startedAt : endedAt };
    const cachedForMs = rule.lifetimeMs;
    return quickRun(startedAt, { ...late, clockAheadMs: clockUncertaintyMs, cachedForMs, ...more });
  };
  let run = slow(0, { issuedAt: 0 });
  pipeline.play(run);
  const stages = repeats ? 1 : bad + 1;
  for (let stage = 1; stage <= stages; stage++) {
    const notDue = pushed
      ? run.notedAt + rule.rotateEveryMs + 2 * clockUncertaintyMs - SECOND
      : run.issuedAt + rule.lifetimeMs - rule.rotateWhenRemainingMs + clockUncertaintyMs;
    pipeline.play(quickRun(notDue, { clockAheadMs: -clockUncertaintyMs }));
    for (let missed = 1; repeats && missed <= bad; missed++)
      pipeline.play(quickRun(notDue + missed * intervalMs, { outcome: "missed" }));
    const plannedAt = notDue + (repeats ? bad + 1 : 1) * intervalMs;
    run = slow(plannedAt + startDelayMs, { outcome: stage === stages ? "applied" : "failed" });
    pipeline.play(run);
  }
  return pipeline;
}

/** Times over `days`, each at most the interval after the one before. */
function plannedTimes({ intervalMs }: RotationSettings, days: number, random: () => number) {
  const regular = random() < 0.5;
  const times: number[] = [];
  for (let time = 0; time < days * DAY; ) {
    times.push(time);
    time += regular ? intervalMs : Math.ceil((intervalMs * (0.5 + random() / 2)) / SECOND) * SECOND;
  }
  return times;
}

/**
 * Runs as bad luck within the settings may have them: at most the tolerated number of bad ones
 * between two successful pushes, in any mix; starts are delayed, applies slow, clocks off, by
 * nothing, by all that is tolerated or by anything between; runs by hand between them. The luck
 * changes every few days.
 */
export function playRandomly(
  settings: RotationSettings,
  rule: Rule,
  days: number,
  random: () => number,
): Pipeline {
  const { missedRuns, startDelayMs, longestApplyMs, clockUncertaintyMs, lifetimeMs } = settings;
  const pipeline = new Pipeline(rule);
  const draw = () => ({
    bad: random(),
    missing: random(),
    byHand: random() / 3,
    extreme: random(),
  });
  let luck = draw();
  let [bad, busyUntil] = [0, 0];
  const upTo = (most: number) => {
    if (random() >= luck.extreme) return Math.floor((random() * most) / SECOND) * SECOND;
    return random() < 0.5 ? most : 0;
  };
  const runAt = (startedAt: number): Run => {
    const endedAt = startedAt + upTo(longestApplyMs);
    // iam_rotation and the token that goes with it are independent of each other within an apply.
    const within = () => startedAt + upTo(endedAt - startedAt);
    const [issuedAt, notedAt] = [within(), within()];
    const clockAheadMs = clockUncertaintyMs - upTo(2 * clockUncertaintyMs);
    return quickRun(startedAt, {
      ...{ issuedAt, notedAt, endedAt, clockAheadMs },
      cachedForMs: upTo(lifetimeMs),
    });
  };
  /** Plays a run that is bad if luck wants it, or because it cannot start in time. */
  const play = (run: Run, isLocked = false, mayBeMissed = true): boolean => {
    const hasToPush = pipeline.hasToPush(run);
    const isBad = isLocked || (bad < missedRuns && pipeline.held.length > 0 && random() < luck.bad);
    const isMissed = isLocked || (isBad && mayBeMissed && random() < luck.missing);
    if (hasToPush) bad = isBad ? bad + 1 : 0;
    // More than the promise allows.
    if (bad > missedRuns) return false;
    pipeline.play({ ...run, outcome: isMissed ? "missed" : isBad ? "failed" : "applied" });
    if (!isMissed) busyUntil = Math.max(busyUntil, run.endedAt);
    return true;
  };
  const planned = plannedTimes(settings, days, random);
  for (const [index, plannedAt] of planned.entries()) {
    if (random() < 0.05) luck = draw();
    const startedAt = Math.max(plannedAt + upTo(startDelayMs), busyUntil);
    if (!play(runAt(startedAt), startedAt > plannedAt + startDelayMs)) break;
    const next = planned[index + 1];
    const from = Math.max(busyUntil, plannedAt);
    if (next === undefined || from > next || random() >= luck.byHand) continue;
    play(runAt(from + upTo(next - from)), false, false);
  }
  return pipeline;
}

/** Numbers between 0 and 1, the same for the same seed (Park and Miller's). */
export function seeded(seed: number): () => number {
  let state = 1 + Math.abs(seed % 2_147_483_646);
  return () => {
    state = (state * 16_807) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
