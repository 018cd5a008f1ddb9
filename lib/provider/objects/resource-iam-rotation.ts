import type { CtyObject } from "../../plugin/cty/value";
import type { BlockSchema, ManagedResource } from "../../plugin/provider";
import { timeIn } from "../../rotation/due";
import { whyRotationIsDue } from "../../rotation/rotation-due";
import { parseDuration, toRfc3339 } from "../../tokens";
import { argument, computed, knownText } from "../configuration/argument";
import { checkOfBlock, checkText } from "../configuration/block-checks";
import { fingerprintIn, type LookAtStore } from "./look-at-store";
import { ROTATION_ATTRIBUTES, type RotationTools, rotatingResource } from "./rotating-resource";
import type { IamSession } from "./token-requests";

const EVERY = "rotate_every";
const WRITE_ONLY = { optional: true, sensitive: true, writeOnly: true };

const SCHEMA: BlockSchema = {
  description:
    "Number and times of rotations, without any secret: for arguments that end in _wo_version, replace_triggered_by and triggers. It needs " +
    "no credentials. With stored_token_wo, each plan looks at what the store really holds. A plan that creates or rotates it knows only rotation " +
    "and, of one that exists, id.",
  attributes: {
    [EVERY]: argument("string", 'Time from one rotation to the next, as a duration ("12h").', {
      required: true,
    }),
    stored_token_wo: argument(
      "string",
      "What the store holds now, read by an ephemeral block of the store's own provider. By default (null, for before the first push alone) the clock decides. A plan rotates if it is empty, if it is not the " +
        "token that the last rotation pushed, or if the service of this block's own provider configuration refuses it; spaces at its ends do not " +
        "count. Without an answer, a warning, and the clock decides.",
      WRITE_ONLY,
    ),
    pushed_token_wo: argument(
      "string",
      "The IAM token that this rotation pushes: the same ephemeral one that the store's resource gets. Only its fingerprint is kept: no static token or password, which could be guessed by it. By default none is.",
      WRITE_ONLY,
    ),
    pushed_fingerprint: computed(
      "string",
      "Fingerprint of the token that the last rotation pushed, as of an iam_token; null without pushed_token_wo.",
    ),
    ...ROTATION_ATTRIBUTES,
    rotated_at: computed(
      "string",
      "Time of the last rotation (RFC 3339, UTC, whole seconds), by the clock of the machine that applied.",
    ),
    version: computed(
      "number",
      "The time of the last rotation, in seconds since 1970 (UTC): it rises with each rotation, even after -replace or at a new address. For arguments that " +
        "end in _wo_version.",
    ),
  },
};

const validate = checkOfBlock((config) => checkText(config, EVERY, parseDuration));

/** Milliseconds from one rotation to the next; without end while unknown. */
function intervalOf(config: CtyObject): number {
  const text = knownText(config, EVERY);
  return text === undefined ? Number.POSITIVE_INFINITY : parseDuration(text, EVERY);
}

/** What follows from the time of the last rotation. */
function following(state: CtyObject, config: CtyObject): CtyObject {
  const { rotate_at = null } = state;
  const time = (timeIn(state, "rotated_at") ?? Number.NaN) + intervalOf(config);
  return { rotate_at: Number.isFinite(time) ? toRfc3339(time) : rotate_at };
}

/**
 * `resource "iam_rotation"`: number and times of rotations, without credentials or secrets in the
 * state. The only request is the question about the token that a store holds.
 */
export function resourceIamRotation(
  look: LookAtStore,
  tools: RotationTools,
): ManagedResource<IamSession> {
  return rotatingResource(
    {
      schema: SCHEMA,
      summary: "A rotation is due",
      notImported: "A rotation exists only in its own state: there is nothing to import.",
      validate,
      adjustable: [EVERY],
      timing: [EVERY],
      following,
      whyDue: (state, config, at) => whyRotationIsDue(state, intervalOf(config), at),

      async occasion({ prior, config }, isSettled, context) {
        if (prior === null || isSettled) return {};
        return look(config.stored_token_wo ?? null, prior, context);
      },

      async renew({ config, count, prior, written }) {
        const mistakes = validate(config);
        if (mistakes.length > 0) return { diagnostics: mistakes };
        const now = tools.now();
        const pushed_fingerprint = fingerprintIn(written.pushed_token_wo ?? null);
        const rotated = { ...config, ...count, pushed_fingerprint, rotated_at: toRfc3339(now) };
        // Also if the clock was set back.
        const version = Math.max(Math.floor(now / 1000), Number(prior?.version ?? 0) + 1);
        return { state: { ...rotated, ...following(rotated, config), version } };
      },
      destroy: async () => [],
    },
    tools,
  );
}
