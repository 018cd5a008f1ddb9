import * as fc from "fast-check";
import type { RotationSettings } from "../../lib/rotation/rotation-settings";
import { expectOften } from "../support/expect-often";
import { fuzz } from "../support/fuzz";
import { acceptedSettings, DAY, plannedTimes, randomRuns, seeded, worstRuns } from "./runs";
import { type HeldToken, plannedRule, quickRun, type Rule, simulate } from "./simulate";

/** The least time that a token still lived when the last consumer had the next one. */
const shortestOverlap = (tokens: readonly HeldToken[]) =>
  Math.min(...tokens.map(({ expiresAt, heldUntil }) => expiresAt - heldUntil));

describe.each(["in state", "pushed"] as const)("a token %s", (kind) => {
  test("under an accepted schedule never expires in use, over 400 days of bad luck", () => {
    fc.assert(
      fc.property(acceptedSettings(kind), fc.integer(), (settings, seed) => {
        const random = seeded(seed);
        // A schedule of minutes has a hundred thousand runs: a part of the days shows as much.
        const days = Math.min(400, Math.ceil((1000 * settings.intervalMs) / DAY));
        const runs = randomRuns(settings, plannedTimes(settings, days, random), random);
        const tokens = simulate(plannedRule(settings, kind), [...runs]);
        expectOften(tokens.length).toBeGreaterThan(0);
        expectOften(shortestOverlap(tokens)).toBeGreaterThanOrEqual(0);
      }),
      fuzz(50),
    );
  });

  test("under an accepted schedule has nothing to spare in the worst case", () => {
    fc.assert(
      fc.property(acceptedSettings(kind), (settings) => {
        const rule = plannedRule(settings, kind);
        // A rotation is due AT its time, a token only below its threshold.
        const spare = kind === "pushed" ? 1 : 0;
        expectOften(shortestOverlap(simulate(rule, worstRuns(settings, rule)))).toBe(spare);
        if (rule.kind === "in state") expectOften(rotatesAtOnceAgain(rule, settings)).toBe(false);
      }),
      fuzz(300),
    );
  });
});

/** Whether a token is due the moment it was issued, by the fastest clock: at every run, then. */
function rotatesAtOnceAgain(rule: Rule, { clockUncertaintyMs }: RotationSettings): boolean {
  const again = quickRun(1_000, { startedAt: 0, clockAheadMs: clockUncertaintyMs });
  return simulate(rule, [quickRun(0), again]).length > 1;
}
