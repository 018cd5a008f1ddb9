import * as fc from "fast-check";
import { judge } from "../../lib/cli/schedule/verdict";
import { plannedRule } from "../../lib/rotation/rotation-rule";
import { type Course, toScheduleChart } from "../../lib/rotation/schedule-chart";
import { fuzz } from "../support/fuzz";
import { acceptedSettings } from "./settings";
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
