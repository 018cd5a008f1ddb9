import { TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";
import { TokenResolution } from "../token-resolution";
import { TokenRotation } from "../token-rotation";
import type { Mistakes } from "./mistakes";
import { shown } from "./shown";

/**
 * The rotation with which a token is pushed into another system, and what does not go with that.
 */
export function checkPushed(
  token: IConstruct,
  { rotateWith, minRemaining, revokeOnClose }: Readonly<Record<string, unknown>>,
  resolution: TokenResolution,
  mistakes: Mistakes,
): TokenRotation | undefined {
  if (rotateWith === undefined) return undefined;
  if (!TokenRotation._is(rotateWith)) {
    mistakes.add("ERR_PROP_INVALID", `rotateWith is ${shown(rotateWith)}.`, {
      allowed: "a TokenRotation of the same stack",
    });
    return undefined;
  }
  if (resolution !== TokenResolution.EPHEMERAL) {
    mistakes.add("ERR_PROP_INVALID", `rotateWith is given with resolution: ${resolution}.`, {
      remedy:
        resolution === TokenResolution.ROTATING
          ? "Leave it out: the token rotates by itself."
          : "Leave it out, or use TokenResolution.EPHEMERAL.",
    });
  }
  if (minRemaining !== undefined) {
    mistakes.add("ERR_PROP_INVALID", "Both rotateWith and minRemaining are given.", {
      remedy:
        "Leave minRemaining out: how long the token must live follows from the rotation's schedule.",
    });
  }
  if (revokeOnClose === true) {
    mistakes.add(
      "ERR_PROP_INVALID",
      "revokeOnClose is given with rotateWith: the token would be dead where it was pushed to.",
      {
        remedy: "Leave it out.",
      },
    );
  }
  const its = TerraformStack.of(rotateWith);
  if (its !== TerraformStack.of(token))
    mistakes.add(
      "ERR_OTHER_STACK",
      `The rotation ${rotateWith.node.path} is of the stack ${its.node.path}.`,
    );
  return rotateWith;
}
