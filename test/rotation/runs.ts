import * as fc from "fast-check";
import { neededLifetime } from "../../lib/rotation/rotation-plan";
import type { RotationSettings } from "../../lib/rotation/rotation-settings";
import { quickRun, type Rule, type Run } from "./simulate";

const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Whole seconds, in milliseconds; often none. */
const upToMinutes = (most: number) =>
  fc.oneof(fc.constant(0), fc.nat({ max: most * 60 })).map((count) => count * SECOND);

/** Settings of all sorts, except the lifetime; they need less than 24 hours. */
const anySettings = fc
  .record({
    missedRuns: fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 40 })),
    startDelayMs: upToMinutes(90),
    longestApplyMs: upToMinutes(90),
    // Above the provider's tolerance, a clock that is behind makes it rotate earlier.
    clockUncertaintyMs: upToMinutes(5),
  })
  .chain((others) =>
    fc
      .integer({ min: 10, max: Math.floor((18 * 60) / (others.missedRuns + 1)) })
      .map((minutes) => ({ ...others, intervalMs: minutes * MINUTE })),
  );

/** Settings whose lifetime is, often only just, longer than what they need. */
export const acceptedSettings = (kind: Rule["kind"]) =>
  fc.tuple(anySettings, upToMinutes(24 * 60)).map(([settings, more]): RotationSettings => {
    const needed = neededLifetime({ ...settings, lifetimeMs: 0 }, kind === "pushed");
    return { ...settings, lifetimeMs: Math.min(24 * HOUR, needed + more + SECOND) };
  });

/**
 * The runs that bring consumers as close to an expired token as the settings allow: every value at
 * its limit, at the worst moment.
 *
 * A manual run issues a token at time 0. One of the planned runs, with the largest error of its
 * clock, only just finds it not due. Then as many runs as possible are missed. The next one starts
 * as late and takes as long as possible.
 */
export function worstRuns(settings: RotationSettings, rule: Rule): readonly Run[] {
  const { intervalMs, missedRuns, startDelayMs, longestApplyMs, clockUncertaintyMs } = settings;
  const pushed = rule.kind === "pushed";
  const first = quickRun(
    0,
    // A pushed token was opened at its start, from a cache, and is noted at its end.
    pushed
      ? {
          ...{ notedAt: longestApplyMs, endedAt: longestApplyMs, cachedForMs: rule.lifetimeMs },
          clockAheadMs: clockUncertaintyMs,
        }
      : {},
  );
  const left = Math.max(
    0,
    pushed
      ? longestApplyMs + rule.rotateEveryMs + 2 * clockUncertaintyMs - 1
      : rule.lifetimeMs - rule.rotateWhenRemainingMs + clockUncertaintyMs,
  );
  const before = Array.from({ length: Math.floor(left / intervalMs) }, (_, back) =>
    quickRun(left - (back + 1) * intervalMs),
  );
  const late = left + (missedRuns + 1) * intervalMs + startDelayMs;
  return [
    first,
    ...before.filter(({ startedAt }) => startedAt > first.endedAt).reverse(),
    ...(left > first.endedAt ? [quickRun(left, { clockAheadMs: -clockUncertaintyMs })] : []),
    quickRun(late, { endedAt: late + longestApplyMs }),
  ];
}

/** Times over `days`, each at most the interval after the one before. */
export function plannedTimes(
  { intervalMs }: RotationSettings,
  days: number,
  random: () => number,
): readonly number[] {
  const regular = random() < 0.5;
  const times: number[] = [];
  for (let time = 0; time < days * DAY; ) {
    times.push(time);
    time += regular ? intervalMs : Math.ceil((intervalMs * (0.5 + random() / 2)) / SECOND) * SECOND;
  }
  return times;
}

/**
 * Runs as bad luck within the settings may have them: at most the tolerated number in a row is
 * missed or fails; starts are delayed, applies slow, clocks off, by nothing, by all that is
 * tolerated or by anything between; runs by hand between them. The luck changes every few days.
 */
export function* randomRuns(
  settings: RotationSettings,
  planned: readonly number[],
  random: () => number,
): Generator<Run> {
  const { missedRuns, startDelayMs, longestApplyMs, clockUncertaintyMs, lifetimeMs } = settings;
  const draw = () => ({
    missing: random(),
    failing: random() / 2,
    byHand: random() / 3,
    extreme: random(),
  });
  let luck = draw();
  let [inARow, busyUntil] = [0, 0];
  const upTo = (most: number) => {
    if (random() >= luck.extreme) return Math.floor((random() * most) / SECOND) * SECOND;
    return random() < 0.5 ? most : 0;
  };
  const run = (startedAt: number, endsBy: number, outcome: Run["outcome"]): Run => {
    const endedAt = Math.max(startedAt, Math.min(startedAt + upTo(longestApplyMs), endsBy));
    busyUntil = Math.max(busyUntil, endedAt);
    // iam_rotation and the token that goes with it are independent of each other within an apply.
    const within = () => startedAt + upTo(endedAt - startedAt);
    const [issuedAt, notedAt] = [within(), within()];
    const clockAheadMs = clockUncertaintyMs - upTo(2 * clockUncertaintyMs);
    const cachedForMs = upTo(lifetimeMs);
    return { outcome, startedAt, issuedAt, notedAt, endedAt, clockAheadMs, cachedForMs };
  };
  for (const [index, plannedAt] of planned.entries()) {
    if (random() < 0.05) luck = draw();
    const startedAt = Math.max(plannedAt + upTo(startDelayMs), busyUntil);
    const isLocked = startedAt > plannedAt + startDelayMs;
    const isBad = isLocked || (inARow < missedRuns && random() < luck.missing);
    inARow = isBad ? inARow + 1 : 0;
    if (isLocked || (isBad && random() >= luck.failing)) {
      yield quickRun(startedAt, { outcome: "missed" });
    } else {
      // A run that goes on must not make more of the next ones miss their time than are tolerated.
      const lastChance = planned[index + 1 + missedRuns - inARow] ?? Number.POSITIVE_INFINITY;
      yield run(startedAt, lastChance + startDelayMs, isBad ? "failed" : "applied");
    }
    const next = planned[index + 1];
    const from = Math.max(busyUntil, plannedAt);
    if (next === undefined || from > next || random() >= luck.byHand) continue;
    const fails = random() < luck.failing;
    yield run(from + upTo(next - from), next, fails ? "failed" : "applied");
    if (!fails) inARow = 0;
  }
}

/** Numbers between 0 and 1, the same for the same seed (Park and Miller's). */
export function seeded(seed: number): () => number {
  let state = 1 + Math.abs(seed % 2_147_483_646);
  return () => {
    state = (state * 16_807) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
