import type { CtyObject } from "../../plugin/cty/value";
import { UNKNOWN } from "../../plugin/cty/value";
import type { Diagnostic } from "../../plugin/provider";
import { IAM_TOKEN_LIFETIME_MS, parseDuration } from "../../tokens";
import { isKnown, textArgument } from "../argument";
import { check } from "../diagnostics";
import { assertThreshold } from "../rotation/assert-threshold";
import type { TokenDemands } from "../rotation/token-due";
import { validateIamToken } from "./iam-token-arguments";

const THRESHOLD = "rotate_when_remaining";

/**
 * The mistakes in the arguments of a rotating token, each on its path. Passes over what is unknown.
 */
export function validateRotatingToken(config: CtyObject): readonly Diagnostic[] {
  const threshold = textArgument(config, THRESHOLD);
  return [
    ...validateIamToken(config),
    ...(isKnown(threshold)
      ? check([THRESHOLD], () =>
          assertThreshold(
            `with ${THRESHOLD}`,
            parseDuration(threshold, THRESHOLD),
            "An IAM token lives",
            IAM_TOKEN_LIFETIME_MS,
          ),
        )
      : []),
  ];
}

/**
 * What a block without mistakes asks of a token's life. Of what is unknown a plan can tell nothing:
 * it asks for nothing yet.
 */
export function toDemands(config: CtyObject): TokenDemands {
  const duration = (name: string) => {
    const text = textArgument(config, name);
    if (text === UNKNOWN) return 0;
    return isKnown(text) ? parseDuration(text, name) : null;
  };
  return { rotateWhenRemainingMs: duration(THRESHOLD), minRemainingMs: duration("min_remaining") };
}
