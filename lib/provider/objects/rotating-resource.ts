import type { CtyObject } from "../../plugin/cty/value";
import type {
  Applied,
  AttributeSchema,
  Diagnostic,
  ManagedResource,
  PlannedChange,
} from "../../plugin/provider";
import { countAfter, firstCount } from "../../rotation/count";
import { IamTokensError } from "../../tokens";
import { argument, computed } from "../configuration/argument";
import { toDiagnostic } from "../configuration/diagnostics";
import { type DueNote, dueNoteIn, withDueNote } from "./due-note";
import {
  type Occasion,
  plannedArguments,
  plannedRotation,
  type RotatingBlock,
} from "./planned-rotation";
import { underBase } from "./token-diagnostics";
import type { IamContext, IamSession } from "./token-source";

/** Arguments and attributes of every resource that rotates. */
export const ROTATION_ATTRIBUTES: Readonly<Record<string, AttributeSchema>> = {
  keepers: argument(
    ["map", "string"],
    "Any strings; a change of one of them rotates. They are stored in the state in plain text.",
  ),
  id: computed(
    "string",
    "Random, new with each creation. Together with rotation it identifies each rotation.",
  ),
  rotation: computed(
    "number",
    "1 at creation, one more with each rotation. Known in the plan that rotates.",
  ),
};

/** Dependencies of the resources that rotate. */
export interface RotationTools {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Makes an id that no other instance has. */
  readonly newId: () => string;
}

/** The finding of a refresh about an instance that is not due. */
export interface Verified extends Pick<DueNote, "isGone"> {
  /** By default, the state stays as it is. */
  readonly state?: CtyObject;
  readonly diagnostics: readonly Diagnostic[];
}

/** As far as is known, it still exists. */
export const NOT_ASKED: Verified = { isGone: false, diagnostics: [] };

/** A creation, or a rotation. */
export interface Renewal extends Pick<DueNote, "isGone"> {
  /** The arguments as they were planned. */
  readonly config: CtyObject;
  /** The id and the number that the new state gets. */
  readonly count: CtyObject;
  /** The state that is replaced; null at a creation. */
  readonly prior: CtyObject | null;
}

/** The content of a resource that rotates: all in which one differs from another. */
export interface RotatingContent extends RotatingBlock {
  /** The mistakes in its arguments. Skips unknown values. */
  validate(config: CtyObject): readonly Diagnostic[];
  /** Why an instance is due by itself, as a sentence; undefined if it is not. */
  whyDue(state: CtyObject, config: CtyObject, note: DueNote): string | undefined;
  /** Looks whether an instance that is not due still exists. By default nobody is asked. */
  verify?(state: CtyObject, context: IamContext): Promise<Verified>;
  /** Further reasons to rotate, and the messages of a plan. */
  occasion?(
    change: PlannedChange,
    note: DueNote,
    context: IamContext,
  ): Promise<Omit<Occasion, "due">>;
  /** Makes the new state, with its private data. */
  renew(renewal: Renewal, context: IamContext): Promise<Applied>;
  destroy: ManagedResource<IamSession>["destroy"];
  /** Why an instance cannot be imported. */
  readonly notImported: string;
}

/**
 * A resource that rotates in place: the first apply that finds it due makes it anew, under the next
 * number. A refresh decides whether it is due, and notes that with the state; without a refresh,
 * the plan's clock decides.
 */
export function rotatingResource(
  content: RotatingContent,
  { now, newId }: RotationTools,
): ManagedResource<IamSession> {
  const { schema, validate, whyDue, verify = async () => NOT_ASKED, renew, destroy } = content;
  return {
    schema,
    validate,

    async read({ state, private: before }, context) {
      const at = now();
      const isValid = validate(state).length === 0;
      const isDue = isValid && whyDue(state, state, { at, isGone: false }) !== undefined;
      const { isGone, ...found } = isDue ? NOT_ASKED : await verify(state, context);
      const note = isDue || isGone ? { at, isGone } : undefined;
      return { ...found, private: withDueNote(before, state, note) };
    },

    async plan(change, context) {
      const { prior, config } = change;
      // Checked even if nothing is due: consumers get the state's token just like a new one.
      const mistakes = validate(underBase(config, context.session));
      if (mistakes.length > 0) return { diagnostics: mistakes };
      const noted = prior && dueNoteIn(change.private, prior);
      const note = noted ?? { at: now(), isGone: false };
      const due = prior ? whyDue(prior, config, note) : undefined;
      const occasion = await content.occasion?.(change, note, context);
      return plannedRotation(content, change, { due, ...occasion });
    },

    create({ planned }, context) {
      const config = plannedArguments(schema, planned);
      return renew({ config, count: firstCount(newId), prior: null, isGone: false }, context);
    },

    update({ planned, prior, private: noted }, context) {
      const config = plannedArguments(schema, planned);
      const isGone = dueNoteIn(noted, prior)?.isGone === true;
      return renew({ config, count: countAfter(prior, newId), prior, isGone }, context);
    },

    destroy,
    notImported: toDiagnostic(new IamTokensError("ERR_IMPORT_REFUSED", content.notImported)),
  };
}
