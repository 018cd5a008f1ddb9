import { planPushedRotation, planRotation } from "./rotation-plan";
import type { RotationSettings } from "./rotation-settings";

/**
 * The rule for rotation: that of a resource in state, or that of `iam_rotation` with an ephemeral
 * token that is pushed.
 */
export type RotationRule =
  | {
      readonly kind: "in state";
      readonly lifetimeMs: number;
      readonly rotateWhenRemainingMs: number;
    }
  | {
      readonly kind: "pushed";
      readonly lifetimeMs: number;
      readonly rotateEveryMs: number;
      readonly minRemainingMs: number;
    };

/**
 * The rule that the arithmetic gives for a schedule.
 *
 * @throws ERR_SCHEDULE_GAP
 */
export function plannedRule(settings: RotationSettings, kind: RotationRule["kind"]): RotationRule {
  const { lifetimeMs } = settings;
  return kind === "in state"
    ? { kind, lifetimeMs, rotateWhenRemainingMs: planRotation(settings).rotateWhenRemainingMs }
    : { kind, lifetimeMs, ...planPushedRotation(settings) };
}

/** For a refused schedule: rotates as early as the provider allows, which is still too late. */
export function earliestRule(
  { lifetimeMs, clockUncertaintyMs }: RotationSettings,
  kind: RotationRule["kind"],
): RotationRule {
  const most = Math.max(1_000, lifetimeMs - clockUncertaintyMs);
  return kind === "in state"
    ? { kind, lifetimeMs, rotateWhenRemainingMs: Math.max(1_000, most - 1_000) }
    : { kind, lifetimeMs, rotateEveryMs: 1_000, minRemainingMs: most };
}
