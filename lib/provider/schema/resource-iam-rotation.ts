import type { BlockSchema } from "../../plugin/provider";
import { argument, computed } from "./attribute";
import { KEEPERS, ROTATION_ATTRIBUTES } from "./rotation-attributes";

/** `resource "iam_rotation"`. */
export const RESOURCE_IAM_ROTATION: BlockSchema = {
  // Of the layout in the state. What a new version changes is upgraded in
  // objects/resource-iam-rotation.ts.
  version: 1,
  description:
    "Number and times of rotations, and no secret: for arguments that end in _wo_version, replace_triggered_by and triggers. It needs " +
    "no credentials.",
  attributes: {
    rotate_every: argument(
      "string",
      'Time from one rotation to the next, as a duration ("12h"). Instead: lifetime and rotate_when_remaining.',
    ),
    lifetime: argument(
      "string",
      'How long lives what is rotated, as a duration ("24h"); with rotate_when_remaining.',
    ),
    rotate_when_remaining: argument(
      "string",
      "It is rotated by the first apply that finds less than this of lifetime left, as a duration; below lifetime.",
    ),
    keepers: KEEPERS,
    ...ROTATION_ATTRIBUTES,
    rotated_at: computed(
      "string",
      "When it was rotated (RFC 3339, UTC, whole seconds), by the clock of the machine that applied.",
    ),
    rotate_at: computed("string", "From when an apply rotates it (RFC 3339, UTC, whole seconds)."),
  },
};
