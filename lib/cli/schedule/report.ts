import { formatExact } from "../../tokens";
import {
  nearestSettings,
  neededLifetime,
  neededLifetimeWhenPushed,
} from "../../tokens/rotation/rotation-plan";
import type { Simulation } from "../../tokens/rotation/simulate";
import type { Scene } from "./scene";
import { spareOf } from "./summary";
import type { Verdict } from "./verdict";

/**
 * What `--json` prints: names and meaning are stable, new ones may come. Times in milliseconds,
 * those of a worst case since its first token.
 */
export function toReport(
  { settings, plan, refusal, rule }: Verdict,
  { asPlanned, atWorst }: Scene,
): object {
  const pushed = rule.kind === "pushed";
  const nearest = nearestSettings(settings, pushed);
  return {
    accepted: refusal === undefined,
    code: refusal?.code ?? null,
    problem: refusal?.message ?? null,
    token: rule.kind,
    settings,
    neededLifetimeMs: pushed ? neededLifetimeWhenPushed(settings) : neededLifetime(settings),
    rotateWhenRemaining: plan === undefined ? null : formatExact(plan.rotateWhenRemainingMs),
    rotateEvery: plan?.pushed === undefined ? null : formatExact(plan.pushed.rotateEveryMs),
    minRemaining: plan?.pushed === undefined ? null : formatExact(plan.pushed.minRemainingMs),
    nearest: { intervalMs: nearest.intervalMs ?? null, missedRuns: nearest.missedRuns ?? null },
    asPlanned: { spareMs: spareOf(asPlanned) ?? null },
    atWorst: { spareMs: spareOf(atWorst) ?? null, ...played(atWorst) },
  };
}

function played({ gaps, tokens, runs }: Simulation) {
  return {
    gaps,
    tokens,
    runs: runs.map(({ plannedAt, startedAt, endedAt, byHand, deed }) => ({
      plannedAt,
      startedAt,
      endedAt,
      byHand,
      deed,
    })),
  };
}
