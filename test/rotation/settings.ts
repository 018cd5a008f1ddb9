import * as fc from "fast-check";
import { neededLifetime } from "../../lib/rotation/rotation-plan";
import type { RotationRule as Rule } from "../../lib/rotation/rotation-rule";
import type { RotationSettings } from "../../lib/rotation/rotation-settings";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Settings of all sorts, except the lifetime. */
const anySettings = fc.record({
  intervalMs: fc.integer({ min: 5, max: 12 * 60 }).map((minutes) => minutes * MINUTE),
  missedRuns: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 0, max: 3 }) },
    { weight: 1, arbitrary: fc.integer({ min: 4, max: 40 }) },
  ),
  startDelayMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 90 * MINUTE })),
  longestApplyMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 4 * HOUR })),
  clockUncertaintyMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 30 * MINUTE })),
});

/** Settings whose lifetime is just above what they need, or well above. */
export const acceptedSettings = (kind: Rule["kind"]) =>
  fc
    .tuple(anySettings, fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 24 * HOUR })))
    .map(([settings, more]) => withLifetime(settings, kind, more));

/** Settings whose lifetime is just not above what they need, or well below. */
export const refusedSettings = (kind: Rule["kind"]) =>
  fc
    .tuple(
      anySettings,
      fc.oneof(
        { weight: 1, arbitrary: fc.constant(0) },
        {
          weight: 9,
          arbitrary: fc.integer({ min: 0, max: 360 }).map((minutes) => minutes * MINUTE + 1),
        },
      ),
    )
    .map(([settings, less]) => withLifetime(settings, kind, -less))
    .filter(({ lifetimeMs }) => lifetimeMs > 0);

function withLifetime(
  settings: Omit<RotationSettings, "lifetimeMs">,
  kind: Rule["kind"],
  more: number,
): RotationSettings {
  return {
    ...settings,
    lifetimeMs: neededLifetime({ ...settings, lifetimeMs: 0 }, kind === "pushed") + more,
  };
}
