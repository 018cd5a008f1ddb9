import { isDeepStrictEqual } from "node:util";
import { type CtyObject, type CtyValue, UNKNOWN } from "../../plugin/cty/value";
import type {
  AttributeSchema,
  BlockSchema,
  Diagnostic,
  Plan,
  PlannedChange,
} from "../../plugin/provider";
import { warning } from "../configuration/diagnostics";
import { are, list } from "../wording";

/** A resource that rotates, for its plan. */
export interface RotatingBlock {
  readonly schema: BlockSchema;
  /** Summary of the warning that names the reasons of a rotation. */
  readonly summary: string;
  /** Computed attributes that the configuration alone decides. */
  known?(config: CtyObject): CtyObject;
  /**
   * Arguments that say how an instance is kept, not what it is made from: a change keeps it, with
   * its number.
   */
  readonly adjustable: readonly string[];
  /** Kept arguments that decide when it is due. */
  readonly timing: readonly string[];
  /** Attributes that follow from the adjustable arguments and the state, while nothing rotates. */
  following(state: CtyObject, config: CtyObject): CtyObject;
}

/** Why an existing instance rotates, as sentences, and the messages of a plan that does it. */
export interface Occasion {
  /** Why it is due by itself. */
  readonly due?: string | undefined;
  /** A further reason. */
  readonly reason?: string | undefined;
  /** A reason that may not hold any more when Terraform plans again. */
  readonly revisable?: string | undefined;
  /** The sentence after the reasons. */
  readonly consequence?: string | undefined;
  /** In addition to the warning with the reasons; not of a plan that changes nothing. */
  readonly notices?: readonly Diagnostic[];
  /** Warnings of every plan. */
  readonly warnings?: readonly Diagnostic[];
}

/** The name of the rotation after that of a state. */
export const countAfter = ({ id, rotation }: CtyObject): CtyObject => ({
  id: id ?? null,
  rotation: Number(rotation) + 1,
});

/**
 * Plans a resource that rotates.
 *
 * Terraform plans again when it applies. Therefore nothing known here may depend on the clock,
 * except whether it rotates at all: in a plan that rotates, `id`, `rotation` (one more) and
 * whatever the configuration decides are known. A plan that does not rotate is the state as it is
 * kept. While it is unknown whether an argument has changed, or if the second plan may find no
 * reason any more, `rotation` is unknown.
 */
export function plannedRotation(
  block: RotatingBlock,
  { prior, config }: Pick<PlannedChange, "prior" | "config">,
  { due, reason, revisable, consequence, notices = [], warnings = [] }: Occasion,
): Plan {
  const { schema, summary, known, adjustable, timing } = block;
  // project_id, say, is both argument and result: a result only if the block leaves it out.
  const isResult = ([name, { computed }]: readonly [string, AttributeSchema]) =>
    computed === true && (config[name] ?? null) === null;
  const attributes = Object.entries(schema.attributes);
  const results = attributes.filter(isResult).map(([name]): [string, CtyValue] => [name, UNKNOWN]);
  const planned = { ...config, ...Object.fromEntries(results), ...known?.(config) };
  if (prior === null)
    // Apply makes the id: one made here would differ when Terraform plans again.
    return { planned: { ...planned, id: UNKNOWN, rotation: 1 }, diagnostics: notices };

  const given = attributes.filter((each) => !isResult(each)).map(([name]) => name);
  const madeFrom = given.filter((name) => !adjustable.includes(name));
  const { changed, unknown: open } = changedArguments(madeFrom, config, prior);
  const unknown = [...open, ...changedArguments(timing, config, prior).unknown];
  const have = changed.length > 1 ? "have" : "has";
  const certain = [
    changed.length > 0 ? `${list(changed)} ${have} changed.` : undefined,
    due,
    reason,
  ].filter((each) => each !== undefined);
  const reasons = revisable === undefined ? certain : [...certain, revisable];
  if (reasons.length === 0 && unknown.length === 0) {
    const now = adjustable.map((name): [string, CtyValue] => [name, config[name] ?? null]);
    const state = { ...prior, ...Object.fromEntries(now), ...block.following(prior, config) };
    return { planned: state, diagnostics: warnings };
  }
  const maybe = `${are(unknown)} not known before apply: if the value has not changed, apply does nothing.`;
  const sentences = [...(reasons.length > 0 ? reasons : [maybe]), consequence];
  const why = sentences.filter((each) => each !== undefined).join("\n");
  const isOpen = unknown.length > 0 || certain.length === 0;
  return {
    planned: { ...planned, ...countAfter(prior), ...(isOpen ? { rotation: UNKNOWN } : {}) },
    diagnostics: [warning(summary, why), ...notices, ...warnings],
  };
}

/**
 * The arguments of a change during apply, as they were planned: Terraform passes the configuration
 * to apply as it is written, without the effect of `ignore_changes`.
 */
export function plannedArguments({ attributes }: BlockSchema, planned: CtyObject): CtyObject {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, { computed, optional }]) => {
      const value = planned[name] ?? null;
      const isResult = computed === true && (optional !== true || value === UNKNOWN);
      return [name, isResult ? null : value];
    }),
  );
}

/**
 * The names of the arguments that have another value than in the state, and of those for which this
 * is unknown. A missing one is null; one with an unknown part may be the same.
 */
export function changedArguments(names: readonly string[], config: CtyObject, prior: CtyObject) {
  const isSame = (name: string) => isDeepStrictEqual(config[name] ?? null, prior[name] ?? null);
  const unknown = names.filter((name) => isOpen(config[name] ?? null));
  const changed = names.filter((name) => !unknown.includes(name) && !isSame(name));
  return { changed, unknown };
}

function isOpen(value: CtyValue): boolean {
  return value === UNKNOWN || (Object(value) === value && Object.values(value ?? {}).some(isOpen));
}
