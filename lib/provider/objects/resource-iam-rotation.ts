import type { CtyObject } from "../../plugin/cty/value";
import type { Applied, BlockSchema, ManagedResource } from "../../plugin/provider";
import { countAfter, firstCount } from "../../rotation/count";
import { whyRotationIsDue } from "../../rotation/due";
import { parseDuration, toRfc3339 } from "../../tokens";
import { argument, computed, knownText } from "../configuration/argument";
import { checkOfBlock, checkText } from "../configuration/diagnostics";
import { dueNoteIn, withDueNote } from "./due-note";
import {
  KEEPERS,
  plannedArguments,
  planRotation,
  ROTATION_ATTRIBUTES,
  type RotatingBlock,
  type RotationTools,
  refuseImport,
} from "./plan-rotation";
import type { IamSession } from "./token-source";

const SCHEMA: BlockSchema = {
  // Version of the layout in the state. An older one is read by its attributes' names.
  version: 1,
  description:
    "Number and times of rotations, without any secret: for arguments that end in _wo_version, replace_triggered_by and triggers. It needs " +
    "no credentials.",
  attributes: {
    rotate_every: argument("string", 'Time from one rotation to the next, as a duration ("12h").', {
      required: true,
    }),
    keepers: KEEPERS,
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

const ROTATING: RotatingBlock = {
  schema: SCHEMA,
  summary: "A rotation is due",
  known: () => ({}),
};

/**
 * `resource "iam_rotation"`: number and times of rotations. Without credentials, requests or
 * secrets.
 */
export function resourceIamRotation({ now, newId }: RotationTools): ManagedResource<IamSession> {
  const rotated = (planned: CtyObject, counted: CtyObject): Applied => {
    const config = plannedArguments(SCHEMA, planned);
    const mistakes = validateRotation(config);
    const interval = mistakes.length > 0 ? undefined : intervalOf(config);
    if (interval === undefined) return { diagnostics: mistakes };
    const time = now();
    return {
      state: {
        ...config,
        ...counted,
        rotated_at: toRfc3339(time),
        rotate_at: toRfc3339(Math.floor(time / 1000) * 1000 + interval),
      },
      private: Buffer.of(),
    };
  };
  return {
    schema: SCHEMA,
    validate: validateRotation,
    read: async ({ state, private: before }) => {
      const at = now();
      const isDue =
        validateRotation(state).length === 0 &&
        whyRotationIsDue(state, intervalOf(state), at).length > 0;
      return { private: withDueNote(before, state, isDue ? { at } : undefined) };
    },
    async plan(change) {
      const { prior, config } = change;
      const mistakes = validateRotation(config);
      if (mistakes.length > 0) return { diagnostics: mistakes };
      if (prior === null) return planRotation(ROTATING, change, { reasons: [] });
      const { at } = dueNoteIn(change.private, prior) ?? { at: now() };
      return planRotation(ROTATING, change, {
        reasons: whyRotationIsDue(prior, intervalOf(config), at),
      });
    },
    create: async ({ planned }) => rotated(planned, firstCount(newId)),
    update: async ({ planned, prior }) => rotated(planned, countAfter(prior, newId)),
    destroy: async () => [],
    notImported: refuseImport(
      "A rotation exists only in its own state: there is nothing to import.",
    ),
  };
}

const EVERY = "rotate_every";

/** The mistakes in the arguments of a rotation. Skips an unknown value. */
export const validateRotation = checkOfBlock((config) =>
  checkText(config, EVERY, (text) => parseDuration(text, EVERY)),
);

/** Milliseconds from one rotation to the next; undefined while unknown. */
function intervalOf(config: CtyObject): number | undefined {
  const text = knownText(config, EVERY);
  return text === undefined ? undefined : parseDuration(text, EVERY);
}
