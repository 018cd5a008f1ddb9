import type { CtyObject } from "../../plugin/cty/value";
import type { Applied, ManagedResource } from "../../plugin/provider";
import { IamTokensError } from "../../tokens";
import { toDiagnostic } from "../diagnostics";
import type { IamSession } from "../iam-session";
import { toRfc3339 } from "../rfc3339";
import { countAfter, firstCount } from "../rotation/count";
import { planRotation, type RotatingBlock } from "../rotation/plan-rotation";
import { plannedArguments } from "../rotation/planned-arguments";
import { whyRotationIsDue } from "../rotation/rotation-due";
import type { RotationTools } from "../rotation/rotation-tools";
import { RESOURCE_IAM_ROTATION } from "../schema/resource-iam-rotation";
import { intervalOf, validateRotation } from "./resource-iam-rotation-arguments";

const ROTATING: RotatingBlock = {
  schema: RESOURCE_IAM_ROTATION,
  summary: "A rotation is due",
  known: () => ({}),
};

/**
 * `resource "iam_rotation"`: number and times of rotations. No credentials, no requests, no secret.
 */
export function resourceIamRotation({ now, newId }: RotationTools): ManagedResource<IamSession> {
  const rotated = (planned: CtyObject, counted: CtyObject): Applied => {
    const config = plannedArguments(RESOURCE_IAM_ROTATION, planned);
    const mistakes = validateRotation(config);
    const interval = mistakes.length > 0 ? undefined : intervalOf(config);
    if (interval === undefined) return { diagnostics: mistakes };
    const time = now();
    return {
      state: {
        ...config,
        ...counted,
        rotated_at: toRfc3339(new Date(time)),
        rotate_at: toRfc3339(new Date(Math.floor(time / 1000) * 1000 + interval)),
      },
    };
  };
  return {
    schema: RESOURCE_IAM_ROTATION,
    validate: validateRotation,
    // A state without a version is one that was put together by hand: what it lacks makes it due.
    upgradeState: (stored) => stored,
    async plan(change) {
      const { prior, config } = change;
      const mistakes = validateRotation(config);
      if (mistakes.length > 0) return { diagnostics: mistakes };
      const reasons = prior === null ? [] : whyRotationIsDue(prior, intervalOf(config), now());
      return planRotation(ROTATING, change, { reasons }).plan;
    },
    create: async ({ planned }) => rotated(planned, firstCount(newId)),
    update: async ({ planned, prior }) => rotated(planned, countAfter(prior, newId)),
    destroy: async () => [],
    import: async () => ({
      diagnostics: [
        toDiagnostic(
          new IamTokensError(
            "ERR_IMPORT_REFUSED",
            "A rotation is a count of its own, and there is none outside of a state.",
          ),
        ),
      ],
    }),
  };
}
