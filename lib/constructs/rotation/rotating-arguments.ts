import type { BlockArguments } from "../blocks/block";
import { emittable, isExpression } from "../props/expression";
import type { Mistakes } from "../props/mistakes";
import { quoted } from "../props/quoted";
import { TokenResolution } from "../values/token-resolution";
import { checkSchedule } from "./rotation-schedule";

interface RotatingProps {
  readonly schedule?: unknown;
  readonly rotateWhenRemaining?: unknown;
  readonly keepers?: unknown;
}

/**
 * Additional properties of a rotating token; a token of another way must have none of them.
 */
export function checkRotating(
  { schedule, rotateWhenRemaining, keepers }: RotatingProps,
  resolution: TokenResolution,
  mistakes: Mistakes,
): BlockArguments {
  if (resolution !== TokenResolution.ROTATING) {
    for (const [name, value] of Object.entries({ schedule, rotateWhenRemaining, keepers })) {
      if (value === undefined) continue;
      mistakes.add("ERR_PROP_INVALID", `${name} is given with resolution: ${resolution}.`, {
        remedy:
          "Remove it, or use TokenResolution.ROTATING. A token that is pushed to another system is rotated with rotateWith.",
      });
    }
    return {};
  }
  if (schedule !== undefined && rotateWhenRemaining !== undefined) {
    mistakes.add("ERR_PROP_INVALID", "Both schedule and rotateWhenRemaining are given.", {
      remedy: "Give only the schedule: it determines when the token rotates.",
    });
  }
  const checked = checkSchedule(schedule, "in state", mistakes);
  return {
    rotate_when_remaining: checked?.rotateWhenRemaining ?? rotateWhenRemaining,
    keepers: checkKeepers(keepers, mistakes),
  };
}

/** Strings by name; other values are left out. */
export function checkKeepers(value: unknown, mistakes: Mistakes): unknown {
  if (value === undefined || isExpression(value)) return value;
  const entries =
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.entries(value)
      : undefined;
  if (entries === undefined || entries.some(([, text]) => emittable(text) === undefined)) {
    mistakes.add(
      "ERR_PROP_INVALID",
      `keepers ${entries === undefined ? `is ${quoted(value)}` : "has a value that is not a string"}.`,
      {
        allowed: 'strings by name: { release: "42" }',
      },
    );
  }
  return entries && Object.fromEntries(entries.filter(([, text]) => emittable(text) !== undefined));
}
