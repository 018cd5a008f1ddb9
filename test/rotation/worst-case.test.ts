import type { RotationRule as Rule } from "../../lib/rotation/rotation-plan";
import type { RotationSettings } from "../../lib/rotation/rotation-settings";
import type { Run } from "./simulate";
import { worstCase } from "./worst-case";

const SETTINGS: RotationSettings = {
  intervalMs: 100,
  missedRuns: 2,
  startDelayMs: 15,
  longestApplyMs: 30,
  clockUncertaintyMs: 5,
  lifetimeMs: 1000,
};
const IN_STATE: Rule = { kind: "in state", lifetimeMs: 1000, rotateWhenRemainingMs: 750 };
const PUSHED: Rule = { kind: "pushed", lifetimeMs: 500, rotateEveryMs: 180, minRemainingMs: 495 };

/** A run at its time, done at once, on a clock that is right; and what differs from it. */
const run = (plannedAt: number, more: Partial<Run> = {}): Run => ({
  plannedAt,
  byHand: false,
  outcome: "applied",
  startedAt: plannedAt,
  issuedAt: plannedAt,
  notedAt: plannedAt,
  endedAt: plannedAt,
  clockAheadMs: 0,
  cachedForMs: 0,
  ...more,
});
const behind = { clockAheadMs: -5 };
const missed = { outcome: "missed" } as const;
const late = (startedAt: number) => ({
  startedAt,
  issuedAt: startedAt,
  notedAt: startedAt,
  endedAt: startedAt + 30,
});
const every = (interval: number, first: number, last: number) =>
  Array.from({ length: (last - first) / interval + 1 }, (_, index) =>
    run(first + index * interval),
  );

test("a token in state is left alone by a hair on a slow clock, then all goes wrong, then well", () => {
  const worst = worstCase(SETTINGS, IN_STATE);
  expect(worst.runs).toEqual([
    run(0, { byHand: true }),
    // At 255, 745 are left of it: 750 by a clock that is 5 behind.
    ...[55, 155, 255].map((at) => run(at, behind)),
    ...[355, 455].map((at) => run(at, missed)),
    run(555, late(570)),
    ...every(100, 655, 1755),
  ]);
  expect(worst.late).toEqual(run(555, late(570)));
});

test("a pushed token was opened at the start of its run, from the cache, and noted at its end by a fast clock", () => {
  const worst = worstCase(SETTINGS, PUSHED);
  expect(worst.runs).toEqual([
    run(0, { byHand: true, notedAt: 30, endedAt: 30, clockAheadMs: 5, cachedForMs: 500 }),
    // Noted as of 35, and due at 215: at 219 it is 214 by a clock that is 5 behind.
    ...[119, 219].map((at) => run(at, behind)),
    ...[319, 419].map((at) => run(at, missed)),
    run(519, late(534)),
    ...every(100, 619, 1119),
  ]);
});

test("a run waits until the late one has ended", () => {
  const { runs } = worstCase({ ...SETTINGS, longestApplyMs: 185 }, IN_STATE);
  // From 570 to 755.
  expect(runs.map(({ plannedAt }) => plannedAt).slice(6, 9)).toEqual([555, 755, 855]);
});

test.each([
  { missedRuns: 0, missedAt: [], lateAt: 355 },
  { missedRuns: 1, missedAt: [355], lateAt: 455 },
])("with $missedRuns missed runs the late one is planned for $lateAt", (row) => {
  const { runs, late } = worstCase({ ...SETTINGS, missedRuns: row.missedRuns }, IN_STATE);
  const missedAt = runs.filter(({ outcome }) => outcome === "missed").map((each) => each.plannedAt);
  expect({ missedAt, lateAt: late.plannedAt }).toEqual({
    missedAt: row.missedAt,
    lateAt: row.lateAt,
  });
});

test.each([
  // The token is issued at 0, and a planned run at the same time finds it.
  { rotateWhenRemainingMs: 805, plannedAt: [0, 100, 200, 300] },
  // No token of this rule outlives its threshold.
  { rotateWhenRemainingMs: 1005, plannedAt: [0, 100, 200, 300] },
  { rotateWhenRemainingMs: 2000, plannedAt: [0, 100, 200, 300] },
])("no run comes before the first, or with it: $rotateWhenRemainingMs", (row) => {
  const { runs } = worstCase(SETTINGS, { ...IN_STATE, ...row });
  expect(runs.slice(0, 4).map((each) => each.plannedAt)).toEqual(row.plannedAt);
});

test("of a schedule of minutes no more than 200 runs follow", () => {
  const { runs, late } = worstCase({ ...SETTINGS, intervalMs: 5, longestApplyMs: 0 }, IN_STATE);
  // Two of them would begin before the late one does.
  expect(runs.filter(({ plannedAt }) => plannedAt > late.plannedAt)).toHaveLength(198);
});
