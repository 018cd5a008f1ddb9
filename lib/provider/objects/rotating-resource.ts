import type { CtyObject } from "../../plugin/cty/value";
import type {
  Applied,
  AttributeSchema,
  Diagnostic,
  ManagedResource,
  PlannedChange,
} from "../../plugin/provider";
import { IamTokensError, setting, words } from "../../tokens";
import { computed } from "../configuration/argument";
import { toDiagnostic } from "../configuration/diagnostics";
import { KEEPERS } from "./iam-token-arguments";
import {
  changedArguments,
  countAfter,
  type Occasion,
  plannedArguments,
  plannedRotation,
  type RotatingBlock,
} from "./planned-rotation";
import { underBase } from "./token-diagnostics";
import type { IamContext, IamSession } from "./token-requests";

/** Arguments and attributes of every resource that rotates. */
export const ROTATION_ATTRIBUTES: Readonly<Record<string, AttributeSchema>> = {
  ...KEEPERS,
  id: computed(
    "string",
    "Random, new with each creation. Together with rotation it identifies each rotation.",
  ),
  rotation: computed("number", "1 at creation, one more with each rotation."),
  rotate_at: computed("string", "Time from which an apply rotates (RFC 3339, UTC, whole seconds)."),
};

/** Terraform 1.10 would take a plain string for an ordinary argument, and the plan for a bug. */
const unsupported = (name: string) =>
  new IamTokensError(
    "ERR_TERRAFORM_TOO_OLD",
    words`${setting(name)} is write-only, which this Terraform does not know.`,
    { allowed: "Terraform 1.11 or newer, OpenTofu 1.11 or newer" },
  );

/** Dependencies of the resources that rotate. */
export interface RotationTools {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Makes an id that no other instance has. */
  readonly newId: () => string;
}

/** The finding of a refresh about an instance that is not due. */
export interface Verified {
  /** By default, the state stays as it is. One of an instance that is gone is due. */
  readonly state?: CtyObject;
  readonly diagnostics?: readonly Diagnostic[];
}

/** A creation, or a rotation. */
export interface Renewal {
  /** The arguments as they were planned: of a write-only one, null. */
  readonly config: CtyObject;
  /** The arguments as they are written. */
  readonly written: CtyObject;
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
  whyDue(state: CtyObject, config: CtyObject, now: number): string | undefined;
  /** Looks whether an instance that is not due still exists. By default nobody is asked. */
  verify?(state: CtyObject, context: IamContext): Promise<Verified>;
  /**
   * Further reasons to rotate, and the messages of a plan.
   *
   * @param isSettled whether a reason that may not hold any more, when Terraform plans again, would
   * not count
   */
  occasion?(
    change: PlannedChange,
    isSettled: boolean,
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
 * number. A refresh decides whether it is due, and takes rotate_at from the state; without a
 * refresh, the plan's clock decides.
 */
export function rotatingResource(
  content: RotatingContent,
  { now, newId }: RotationTools,
): ManagedResource<IamSession> {
  const { schema, validate, whyDue, renew, destroy } = content;
  const writeOnly = Object.fromEntries(
    Object.entries(schema.attributes).flatMap(([name, each]) =>
      each.writeOnly ? [[name, null]] : [],
    ),
  );
  return {
    schema,

    validate: (config, knowsWriteOnly) => [
      ...validate(config),
      ...Object.keys(writeOnly)
        .filter((name) => !knowsWriteOnly && (config[name] ?? null) !== null)
        .map((name) => toDiagnostic(unsupported(name), [name])),
    ],

    async read({ state, private: before }, context) {
      const isDue = validate(state).length === 0 && whyDue(state, state, now()) !== undefined;
      const found = isDue
        ? { state: { ...state, rotate_at: null } }
        : content.verify?.(state, context);
      return { ...(await found), private: before };
    },

    async plan(change, context) {
      const { prior } = change;
      // No plan may have a write-only value.
      const config = { ...change.config, ...writeOnly };
      // Checked even if nothing is due: consumers get the state's token just like a new one.
      const mistakes = validate(underBase(change.config, context.session));
      if (mistakes.length > 0) return { diagnostics: mistakes };
      // Terraform plans an update twice, and both plans must agree: what a refresh has found due is
      // due, whatever the clock says; otherwise one that changes how an instance is kept leaves the
      // clock to the next run.
      const isNoted = prior !== null && prior.rotate_at === null;
      const adjusted = prior && changedArguments(content.adjustable, config, prior);
      const isAdjusted = adjusted !== null && adjusted.changed.length > 0;
      const why = prior && !isAdjusted ? whyDue(prior, config, now()) : undefined;
      const due = why ?? (isNoted ? "It was due when it was read." : undefined);
      const isSettled = prior === null || isAdjusted || due !== undefined;
      const occasion = await content.occasion?.(change, isSettled, context);
      const isOpen = !isNoted && adjusted !== null && adjusted.unknown.length > 0;
      const found = { ...(isOpen ? { revisable: due } : { due }), ...occasion };
      return plannedRotation(content, { prior, config }, found);
    },

    create({ planned, config: written }, context) {
      const config = plannedArguments(schema, planned);
      const count = { id: newId(), rotation: 1 };
      return renew({ config, written, prior: null, count }, context);
    },

    async update({ planned, prior, config: written }, context) {
      // As it is kept from now on.
      if (planned.id === prior.id && planned.rotation === prior.rotation) return { state: planned };
      const config = plannedArguments(schema, planned);
      return renew({ config, written, prior, count: countAfter(prior) }, context);
    },

    destroy,
    notImported: toDiagnostic(new IamTokensError("ERR_IMPORT_REFUSED", content.notImported)),
  };
}
