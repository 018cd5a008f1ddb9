import * as fc from "fast-check";
import { RECIPES, type Recipe } from "../../lib/rotation/rotation-plan";
import type { RotationSettings } from "../../lib/rotation/rotation-settings";
import { expectOften } from "../support/expect-often";
import { fuzz } from "../support/fuzz";
import { acceptedSettings, DAY, playRandomly, playWorst, seeded } from "./runs";
import { Pipeline, plannedRule, quickRun, type Rule, shortestOverlap } from "./simulate";

describe.each(Object.keys(RECIPES) as Recipe[])("a token that rotates as %s", (recipe) => {
  test("never expires in use while no more runs are bad than the schedule tolerates", () => {
    fc.assert(
      fc.property(acceptedSettings(recipe), fc.integer(), (settings, seed) => {
        // A schedule of minutes has a hundred thousand runs: a part of the days shows as much.
        const days = Math.min(400, Math.ceil((300 * settings.intervalMs) / DAY));
        const rule = plannedRule(settings, recipe);
        const pipeline = playRandomly(settings, rule, days, seeded(seed));
        expectOften(pipeline.held.length).toBeGreaterThan(0);
        expectOften(shortestOverlap(pipeline)).toBeGreaterThanOrEqual(0);
      }),
      fuzz(50),
    );
  });

  test("has nothing to spare: five seconds later, or with one more bad run, there is a gap", () => {
    fc.assert(
      fc.property(acceptedSettings(recipe), (settings) => {
        const { missedRuns } = settings;
        const rule = plannedRule(settings, recipe);
        expectOften(shortestOverlap(playWorst(settings, rule, missedRuns))).toBeGreaterThanOrEqual(
          0,
        );
        const late = plannedRule(settings, recipe, 5_000);
        expectOften(shortestOverlap(playWorst(settings, late, missedRuns))).toBeLessThan(0);
        expectOften(shortestOverlap(playWorst(settings, rule, missedRuns + 1))).toBeLessThan(0);
        if (!RECIPES[recipe].pushed) expectOften(rotatesAtOnceAgain(rule, settings)).toBe(false);
      }),
      fuzz(300),
    );
  });
});

/** Whether a token is due the moment it was issued, by the fastest clock: at every run, then. */
function rotatesAtOnceAgain(rule: Rule, { clockUncertaintyMs }: RotationSettings): boolean {
  const pipeline = new Pipeline(rule);
  pipeline.play(quickRun(0));
  pipeline.play(quickRun(1_000, { startedAt: 0, clockAheadMs: clockUncertaintyMs }));
  return pipeline.held.length > 1;
}
