import type { CtyObject } from "../../plugin/cty/value";
import { UNKNOWN } from "../../plugin/cty/value";
import type { Applied, BlockSchema, Diagnostic, ManagedResource } from "../../plugin/provider";
import { countAfter, firstCount } from "../../rotation/count";
import { assertThreshold, whyRotationIsDue } from "../../rotation/due";
import { IamTokensError, parseDuration, toRfc3339 } from "../../tokens";
import { isKnown, knownText, textArgument } from "../configuration/argument";
import { argument, computed } from "../configuration/attribute";
import { check, checkOfBlock, checkText, toDiagnostic } from "../configuration/diagnostics";
import { are } from "../configuration/wording";
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
    rotate_every: argument(
      "string",
      'Time from one rotation to the next, as a duration ("12h"). Instead: lifetime and rotate_when_remaining.',
    ),
    lifetime: argument(
      "string",
      'Lifetime of the rotated value, as a duration ("24h"); with rotate_when_remaining.',
    ),
    rotate_when_remaining: argument(
      "string",
      "The first apply with less than this lifetime left rotates, as a duration; below lifetime.",
    ),
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
    };
  };
  return {
    schema: SCHEMA,
    validate: validateRotation,
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
    import: refuseImport("A rotation exists only in its own state: there is nothing to import."),
  };
}

const NAMES = ["rotate_every", "lifetime", "rotate_when_remaining"] as const;

/** The mistakes in the arguments of a rotation, each on its path. Skips unknown values. */
export const validateRotation = checkOfBlock((config) => {
  const wrong = NAMES.flatMap((name) =>
    checkText(config, name, (text) => parseDuration(text, name)),
  );
  return wrong.length > 0 ? wrong : [...oneWay(config), ...belowLifetime(config)];
});

/** Milliseconds from one rotation to the next; undefined while unknown. */
function intervalOf(config: CtyObject): number | undefined {
  const { every, lifetime, remaining } = durationsIn(config);
  if (every !== undefined) return every;
  return lifetime === undefined || remaining === undefined ? undefined : lifetime - remaining;
}

function durationsIn(config: CtyObject) {
  const [every, lifetime, remaining] = NAMES.map((name) => {
    const text = knownText(config, name);
    return text === undefined ? undefined : parseDuration(text, name);
  });
  return { every, lifetime, remaining };
}

function oneWay(config: CtyObject): readonly Diagnostic[] {
  const known = NAMES.filter((name) => isKnown(textArgument(config, name)));
  const open = NAMES.some((name) => textArgument(config, name) === UNKNOWN);
  const mixed = known.includes("rotate_every") && known.length > 1;
  const whole = known.includes("rotate_every") || known.length === 2;
  if (!mixed && (whole || open)) return [];
  const given = known.length === 0 ? "None of them is given" : `${are(known)} given`;
  const error = new IamTokensError("ERR_ROTATION_INVALID", `${given}.`);
  return [toDiagnostic(error, known.length === 0 ? undefined : known.slice(-1))];
}

function belowLifetime(config: CtyObject): readonly Diagnostic[] {
  const { lifetime, remaining } = durationsIn(config);
  if (lifetime === undefined || remaining === undefined) return [];
  return check(["rotate_when_remaining"], () =>
    assertThreshold("with rotate_when_remaining", remaining, "The rotated value lives", lifetime),
  );
}
