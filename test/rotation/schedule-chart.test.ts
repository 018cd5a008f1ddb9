import * as fc from "fast-check";
import { judge, type ScheduleOptions } from "../../lib/cli/schedule/verdict";
import { plannedRule } from "../../lib/rotation/rotation-rule";
import { type Course, spareOf, toScheduleChart } from "../../lib/rotation/schedule-chart";
import { fuzz } from "../support/fuzz";
import { acceptedSettings, HOUR, MINUTE } from "./settings";
import { type Simulation, simulate } from "./simulate";
import { quickRun, worstCase } from "./worst-case";

/** What both know of a run; the worst case has a few runs more. */
const runsOf = ({ runs }: Simulation | Course, count: number) =>
  runs.slice(0, count).map(({ plannedAt, startedAt, endedAt, result }) => ({
    plannedAt,
    ...(result !== "missed" && { startedAt, endedAt }),
    result,
  }));
const handOvers = ({ tokens }: Simulation | Course, count = tokens.length) =>
  tokens.slice(0, count - 1);

test.each(["in state", "pushed"] as const)(
  "the chart has the runs and tokens of the simulation, as planned and in the worst case: a token %s",
  (kind) => {
    fc.assert(
      fc.property(acceptedSettings(kind), (settings) => {
        expectSimulated(settings, plannedRule(settings, kind));
      }),
      fuzz(200),
    );
  },
);

test.each([
  { every: "12h" },
  { every: "30h", missed: "0" },
  { every: "23h50m", missed: "0", pushed: true },
  { every: "1h", missed: "40" },
] as const)("the same for a schedule that leaves a gap: %j", (options) => {
  const { settings, rule, plan } = judge(options);
  expect(plan).toBeUndefined();
  expectSimulated(settings, rule);
});

/** Clocks, start delay and longest apply; a plan cannot rotate a token in its first second. */
const OTHERS = (2 * 5 + 15 + 30) * MINUTE + 1000;

test.each<{ options: ScheduleOptions; planned: number; worst: number }>([
  { options: { every: "6h" }, planned: 12 * HOUR, worst: 0 },
  { options: { every: "1h", missed: "0" }, planned: HOUR, worst: 0 },
  { options: { every: "12h" }, planned: 12 * HOUR, worst: -OTHERS },
  { options: { every: "30h", missed: "0" }, planned: -6 * HOUR, worst: -6 * HOUR - OTHERS },
])("the old token has $planned ms to spare, and in the worst case $worst: $options", (row) => {
  const { settings, rule } = judge(row.options);
  const { asPlanned, atWorst } = toScheduleChart(settings, rule);
  expect([spareOf(asPlanned), spareOf(atWorst)]).toEqual([row.planned, row.worst]);
});

test("without a second token there is no hand-over", () => {
  expect(spareOf({ runs: [], tokens: [] })).toBeUndefined();
});

function expectSimulated(...schedule: Parameters<typeof toScheduleChart>): void {
  const [settings, rule] = schedule;
  const { asPlanned, atWorst, untilMs } = toScheduleChart(settings, rule);
  const times = Array.from({ length: Math.floor(untilMs / settings.intervalMs) + 1 });
  const planned = simulate(
    rule,
    times.map((_, index) => quickRun(index * settings.intervalMs)),
  );
  expect(runsOf(asPlanned, times.length)).toEqual(runsOf(planned, times.length));
  expect(handOvers(asPlanned)).toEqual(handOvers(planned));
  const worst = simulate(rule, worstCase(settings, rule).runs);
  expect(runsOf(atWorst, atWorst.runs.length)).toEqual(runsOf(worst, atWorst.runs.length));
  expect(handOvers(atWorst)).toEqual(handOvers(worst, 2));
  expect(atWorst.tokens[1]).toMatchObject({
    issuedAt: worst.tokens[1]?.issuedAt,
    heldFrom: worst.tokens[1]?.heldFrom,
  });
}
