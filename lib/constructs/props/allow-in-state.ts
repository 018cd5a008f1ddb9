import { TokenResolution } from "../token-resolution";
import type { Mistakes } from "./mistakes";
import { checkFlag } from "./props";

/**
 * Whether the value of a token that is resolved before synthesis may stand in plan and state; other
 * ways have no choice.
 */
export function checkAllowInState(
  value: unknown,
  resolution: TokenResolution,
  mistakes: Mistakes,
): boolean {
  const allowed = checkFlag("allowInState", value, mistakes);
  if (allowed !== undefined && resolution !== TokenResolution.SYNTH) {
    mistakes.add("ERR_PROP_INVALID", `allowInState is given with resolution: ${resolution}.`, {
      remedy: "Leave it out, or use TokenResolution.SYNTH.",
    });
  }
  return allowed === true;
}
