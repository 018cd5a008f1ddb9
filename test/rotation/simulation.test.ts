import * as fc from "fast-check";
import { longestInterval } from "../../lib/rotation/calendar";
import { parseCron } from "../../lib/rotation/cron";
import { reachOf } from "../../lib/rotation/rotation-plan";
import { plannedRule, type RotationRule as Rule } from "../../lib/rotation/rotation-rule";
import type { RotationSettings } from "../../lib/rotation/rotation-settings";
import { formatDuration } from "../../lib/tokens";
import { randomRuns, seeded } from "./random-runs";
import { acceptedSettings, DAY, HOUR, MINUTE, refusedSettings } from "./settings";
import { type Simulation, simulate } from "./simulate";
import { timesBetween } from "./times-between";
import { quickRun, worstCase } from "./worst-case";

const SEED = 20_260_101;
const DAYS = 400;

const KINDS: readonly Rule["kind"][] = ["in state", "pushed"];
const report: string[] = [];

afterAll(() => {
  process.stdout.write(`${["Rotation, simulated:", ...report].join("\n  ")}\n`);
});

/** Planned times over `days`: each at most the interval after the one before, mostly at it. */
function plannedTimes(
  { intervalMs }: RotationSettings,
  days: number,
  random: () => number,
): number[] {
  const times: number[] = [];
  const regular = random() < 0.5;
  for (
    let time = 0;
    time < days * DAY;
    time += regular ? intervalMs : Math.ceil(intervalMs * (0.5 + random() / 2))
  )
    times.push(time);
  return times;
}

describe.each(KINDS)("a token %s", (kind) => {
  test(`under an accepted schedule never expires in use, over ${DAYS} days of bad luck`, () => {
    const seen = { schedules: 0, runs: 0, tokens: 0, gaps: 0, least: Number.POSITIVE_INFINITY };
    fc.assert(
      fc.property(acceptedSettings(kind), fc.integer(), (settings, seed) => {
        const random = seeded(seed);
        // A schedule of minutes has a hundred thousand runs: a part of the days shows as much.
        const days = Math.min(DAYS, Math.ceil((1000 * settings.intervalMs) / DAY));
        const runs = [...randomRuns(settings, plannedTimes(settings, days, random), random)];
        const rule = plannedRule(settings, kind);
        const simulation = simulate(rule, runs);
        seen.schedules++;
        seen.runs += simulation.runs.length;
        seen.tokens += simulation.tokens.length;
        seen.gaps += simulation.gaps.length;
        seen.least = Math.min(seen.least, shortestOverlap(simulation));
        expect(simulation.gaps).toEqual([]);
        expect(simulation.tokens.length).toBeGreaterThan(0);
        if (kind === "in state") expect(rotatesAtOnceAgain(rule, settings)).toBe(false);
      }),
      { seed: SEED, numRuns: 100 },
    );
    report.push(
      `${kind}, accepted, bad luck: ${seen.schedules} schedules, a seed each (from ${SEED}), ${seen.runs} runs, ` +
        `${seen.tokens} tokens, ${seen.gaps} gaps, shortest overlap ${formatDuration(seen.least)}`,
    );
  });

  test("under an accepted schedule the worst case leaves no gap, and is the worst that there is", () => {
    let schedules = 0;
    fc.assert(
      fc.property(acceptedSettings(kind), (settings) => {
        const simulation = play(settings, plannedRule(settings, kind));
        schedules++;
        expect(simulation.gaps).toEqual([]);
        // To the millisecond: the arithmetic gives nothing away. A rotation is due AT its time, a
        // token only below its threshold.
        expect(shortestOverlap(simulation)).toBe(kind === "pushed" ? 1 : 0);
      }),
      { seed: SEED, numRuns: 300 },
    );
    report.push(
      `${kind}, accepted, worst case: ${schedules} schedules, 0 gaps, overlap never more than it must be`,
    );
  });

  test("under a refused schedule there is no threshold without a gap, or without a rotation at every run", () => {
    const seen = { schedules: 0, gaps: 0, barely: 0, refused: 0, restless: 0 };
    fc.assert(
      fc.property(
        refusedSettings(kind),
        fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
        (settings, part) => {
          const rule = anyRule(settings, kind, part);
          seen.schedules++;
          const simulation = play(settings, rule);
          if (simulation.gaps.length > 0) seen.gaps++;
          else if (simulation.tokens.length === 0) seen.refused++;
          else if (kind === "in state" && rotatesAtOnceAgain(rule, settings)) seen.restless++;
          else {
            // At the very moment at which the old one dies: by a millisecond there is no gap,
            // without any reserve.
            expect(shortestOverlap(simulation)).toBe(0);
            seen.barely++;
          }
        },
      ),
      { seed: SEED, numRuns: 300 },
    );
    report.push(
      `${kind}, refused, any threshold: ${seen.schedules} schedules, a gap in ${seen.gaps}, an overlap of 0 in ` +
        `${seen.barely}, no token that the provider takes in ${seen.refused}, a rotation at every run in ${seen.restless}; neither in 0`,
    );
    expect(seen.gaps).toBeGreaterThan(seen.schedules / 4);
  });

  test("with arithmetic that forgets one interval, the simulation finds gaps", () => {
    let found = 0;
    fc.assert(
      fc.property(acceptedSettings(kind), (settings) => {
        const simulation = play(settings, forgetful(settings, kind));
        if (simulation.gaps.length > 0) found++;
      }),
      { seed: SEED, numRuns: 100 },
    );
    report.push(`${kind}, one interval forgotten: gaps under ${found} of 100 schedules`);
    expect(found).toBe(100);
  });
});

test.each([
  ["0 */6 * * *", 1],
  ["30 */4 * * *", 2],
  ["0 */7 * * *", 1],
  ["15 1-23/2 * * *", 5],
  ["0 5,13,22 * * *", 0],
])(
  "at the times of %s, with %i missed runs, a token in state never dies in use",
  (expression, missedRuns) => {
    const calendar = parseCron(expression);
    const settings: RotationSettings = {
      intervalMs: longestInterval(calendar),
      missedRuns,
      startDelayMs: 15 * MINUTE,
      longestApplyMs: 30 * MINUTE,
      clockUncertaintyMs: 5 * MINUTE,
      lifetimeMs: 24 * HOUR,
    };
    const planned = [...timesBetween(calendar, 0, DAYS * DAY)];
    for (let seed = SEED; seed < SEED + 3; seed++) {
      const simulation = simulate(plannedRule(settings, "in state"), [
        ...randomRuns(settings, planned, seeded(seed)),
      ]);
      expect(simulation.gaps).toEqual([]);
      // No more tokens than are needed: each lives until it is due and the next run comes.
      const longestUse = settings.lifetimeMs - (settings.missedRuns + 2) * settings.intervalMs;
      if (longestUse > HOUR)
        expect(simulation.tokens.length).toBeLessThan((DAYS * DAY) / longestUse);
    }
  },
);

test("the runs that are made up keep to the settings", () => {
  const settings: RotationSettings = {
    intervalMs: HOUR,
    missedRuns: 2,
    startDelayMs: 10 * MINUTE,
    longestApplyMs: 100 * MINUTE,
    clockUncertaintyMs: 5 * MINUTE,
    lifetimeMs: 24 * HOUR,
  };
  const random = seeded(SEED);
  const runs = [...randomRuns(settings, plannedTimes(settings, DAYS, random), random)];
  let inARow = 0;
  let most = 0;
  let latest = 0;
  let longest = 0;
  const seen = { missed: 0, failed: 0, applied: 0, late: 0, slow: 0, byHand: 0, skewed: 0 };
  for (const run of runs) {
    if (run.outcome !== "missed") latest = Math.max(latest, run.startedAt - run.plannedAt);
    longest = Math.max(longest, run.endedAt - run.startedAt);
    if (run.outcome === "applied") inARow = 0;
    else if (!run.byHand) inARow++;
    most = Math.max(most, inARow);
    seen[run.outcome]++;
    if (run.startedAt === run.plannedAt + settings.startDelayMs) seen.late++;
    if (run.endedAt === run.startedAt + settings.longestApplyMs) seen.slow++;
    if (run.byHand) seen.byHand++;
    if (Math.abs(run.clockAheadMs) === settings.clockUncertaintyMs) seen.skewed++;
  }
  expect({ most, latest, longest }).toEqual({
    most: settings.missedRuns,
    latest: settings.startDelayMs,
    longest: settings.longestApplyMs,
  });
  for (const [what, count] of Object.entries(seen))
    expect(`${what} ${count > 20}`).toBe(`${what} true`);
});

const play = (settings: RotationSettings, rule: Rule): Simulation =>
  simulate(rule, worstCase(settings, rule).runs);

/** The least time that a token still lived when the last consumer had the next one. */
function shortestOverlap({ tokens }: Simulation): number {
  return tokens.reduce(
    (least, { expiresAt, heldUntil }) => Math.min(least, expiresAt - heldUntil),
    Number.POSITIVE_INFINITY,
  );
}

/**
 * A rule somewhere between the smallest and the largest threshold, or (null) as the arithmetic
 * would have it.
 */
function anyRule(settings: RotationSettings, kind: Rule["kind"], part: number | null): Rule {
  const { lifetimeMs, clockUncertaintyMs } = settings;
  if (kind === "in state") {
    const remaining =
      part === null ? reachOf(settings) + clockUncertaintyMs : lifetimeMs * 1.1 * part;
    return { kind, lifetimeMs, rotateWhenRemainingMs: Math.max(1, Math.round(remaining)) };
  }
  const minRemainingMs = Math.max(0, lifetimeMs - clockUncertaintyMs);
  return {
    kind,
    lifetimeMs,
    minRemainingMs,
    rotateEveryMs: 1 + Math.round(lifetimeMs * (part ?? 0)),
  };
}

/** Whether a token is due the moment it was issued, by the fastest clock: at every run, then. */
function rotatesAtOnceAgain(rule: Rule, { clockUncertaintyMs }: RotationSettings): boolean {
  const again = { ...quickRun(0), clockAheadMs: clockUncertaintyMs };
  return simulate(rule, [quickRun(0), again]).runs[1]?.result === "rotated";
}

function forgetful(settings: RotationSettings, kind: Rule["kind"]): Rule {
  const rule = plannedRule(settings, kind);
  return rule.kind === "in state"
    ? { ...rule, rotateWhenRemainingMs: rule.rotateWhenRemainingMs - settings.intervalMs }
    : { ...rule, rotateEveryMs: rule.rotateEveryMs + settings.intervalMs };
}
