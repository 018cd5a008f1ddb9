import type { Mistakes } from "../props/mistakes";
import { quoted } from "../props/quoted";

/** How consumers get a token. @see docs/using-tokens.md */
export enum TokenResolution {
  /**
   * An `ephemeral` block: the token is stored nowhere. For provider blocks, write-only arguments
   * and provisioners. Needs Terraform 1.10 or OpenTofu 1.11.
   */
  EPHEMERAL = "ephemeral",
  /**
   * A `data` block: the token is in plan and state, as a sensitive value. For ordinary arguments
   * and outputs, and for older Terraform. Each plan gets a new token.
   */
  DATA = "data",
  /**
   * A `resource` block: the token is in the state, as a sensitive value, stays the same between
   * applies, and is rotated in place before it expires. For outputs, ordinary arguments and
   * scheduled applies; not for provider blocks, because the plan that rotates it does not know the
   * new token. IAM tokens only: a static token does not expire.
   */
  ROTATING = "rotating",
  /**
   * A Terraform variable, whose value `await resolveTokens(app)` issues before `app.synth()`. For
   * remote runs, and for machines where our provider cannot start. The variable is ephemeral, and
   * its value is in one file next to the stack that only its owner can read. With `allowInState:
   * true` it is an ordinary sensitive variable, for outputs and arguments; its value is then also
   * in saved plans and in the state.
   */
  SYNTH = "synth",
}

/** The resolution that a user chose; ephemeral if there is none, or a wrong one. */
export function checkResolution(
  value: unknown,
  mistakes: Mistakes,
  ways: readonly TokenResolution[] = Object.values(TokenResolution),
): TokenResolution {
  const chosen =
    value === undefined ? TokenResolution.EPHEMERAL : ways.find((way) => way === value);
  if (chosen !== undefined) return chosen;
  mistakes.add("ERR_PROP_INVALID", `resolution is ${quoted(value)}.`, {
    allowed: ways.map((way) => `TokenResolution.${way.toUpperCase()}`).join(", "),
    ...(value === TokenResolution.ROTATING
      ? { remedy: "A static token does not expire: there is nothing to rotate." }
      : {}),
  });
  return TokenResolution.EPHEMERAL;
}

/**
 * Whether the value of a token that is resolved before synthesis may be in plan and state; other
 * ways have no choice.
 */
export function checkAllowInState(
  value: unknown,
  resolution: TokenResolution,
  mistakes: Mistakes,
): boolean {
  if (value !== undefined && resolution !== TokenResolution.SYNTH) {
    mistakes.add("ERR_PROP_INVALID", `allowInState is given with resolution: ${resolution}.`, {
      remedy: "Remove it, or use TokenResolution.SYNTH.",
    });
  }
  return value === true;
}
