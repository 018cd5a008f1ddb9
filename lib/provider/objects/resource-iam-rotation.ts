import type { CtyObject } from "../../plugin/cty/value";
import type { BlockSchema, ManagedResource } from "../../plugin/provider";
import { whyRotationIsDue } from "../../rotation/rotation-due";
import { parseDuration, toRfc3339 } from "../../tokens";
import { argument, computed, knownText } from "../configuration/argument";
import { checkOfBlock, checkText } from "../configuration/block-checks";
import { ROTATION_ATTRIBUTES, type RotationTools, rotatingResource } from "./rotating-resource";
import type { IamSession } from "./token-source";

const EVERY = "rotate_every";

const SCHEMA: BlockSchema = {
  // Version of the layout in the state. An older one is read by its attributes' names.
  version: 1,
  description:
    "Number and times of rotations, without any secret: for arguments that end in _wo_version, replace_triggered_by and triggers. It needs " +
    "no credentials.",
  attributes: {
    [EVERY]: argument("string", 'Time from one rotation to the next, as a duration ("12h").', {
      required: true,
    }),
    ...ROTATION_ATTRIBUTES,
    rotated_at: computed(
      "string",
      "Time of the last rotation (RFC 3339, UTC, whole seconds), by the clock of the machine that applied.",
    ),
    rotate_at: computed(
      "string",
      "Time from which an apply rotates (RFC 3339, UTC, whole seconds).",
    ),
  },
};

const validate = checkOfBlock((config) => checkText(config, EVERY, parseDuration));

/** Milliseconds from one rotation to the next; without end while unknown. */
function intervalOf(config: CtyObject): number {
  const text = knownText(config, EVERY);
  return text === undefined ? Number.POSITIVE_INFINITY : parseDuration(text, EVERY);
}

/**
 * `resource "iam_rotation"`: number and times of rotations. Without credentials, requests or
 * secrets.
 */
export function resourceIamRotation(tools: RotationTools): ManagedResource<IamSession> {
  return rotatingResource(
    {
      schema: SCHEMA,
      summary: "A rotation is due",
      notImported: "A rotation exists only in its own state: there is nothing to import.",
      validate,
      whyDue: (state, config, { at }) => whyRotationIsDue(state, intervalOf(config), at),
      async renew({ config, count }) {
        const mistakes = validate(config);
        if (mistakes.length > 0) return { diagnostics: mistakes };
        const time = tools.now();
        const next = Math.floor(time / 1000) * 1000 + intervalOf(config);
        const times = { rotated_at: toRfc3339(time), rotate_at: toRfc3339(next) };
        return { state: { ...config, ...count, ...times }, private: Buffer.of() };
      },
      destroy: async () => [],
    },
    tools,
  );
}
