import { isDeepStrictEqual } from "node:util";
import { type CtyObject, type CtyValue, UNKNOWN } from "../../plugin/cty/value";
import type {
  AttributeSchema,
  BlockSchema,
  Diagnostic,
  Plan,
  PlannedChange,
} from "../../plugin/provider";
import { countAfter, firstCount, isCountLost } from "../../rotation/count";
import { isSameName } from "../../tokens";
import { warning } from "../configuration/diagnostics";
import { are, list } from "../wording";

/** A resource that rotates, for its plan. */
export interface RotatingBlock {
  readonly schema: BlockSchema;
  /** Summary of the warning that names the reasons of a rotation. */
  readonly summary: string;
  /** Computed attributes that the configuration alone decides. */
  known?(config: CtyObject): CtyObject;
  /** Arguments that are names: another spelling of the same name is no change. */
  readonly names?: readonly string[];
}

/** Why an existing instance rotates, as sentences, and the messages of a plan that does it. */
export interface Occasion {
  /** Why it is due by itself. */
  readonly due?: string | undefined;
  /** A further reason. */
  readonly reason?: string | undefined;
  /** The sentence after the reasons. */
  readonly consequence?: string | undefined;
  /** In addition to the warning with the reasons; not of a plan that changes nothing. */
  readonly notices?: readonly Diagnostic[];
}

const COUNT_LOST =
  "id or rotation in the state was not written by this provider: it counts from 1 again, with a new id. Check everything that compares the number alone.";

/** Apply makes the id: one made here would differ when Terraform plans again. */
const newUnknownId = (): CtyValue => UNKNOWN;

/**
 * Plans a resource that rotates.
 *
 * Terraform plans again when it applies. Therefore nothing known here may depend on the clock,
 * except whether it rotates at all: every planned update rotates, and `id`, `rotation` (one more)
 * and whatever the configuration decides are known. A plan that does not rotate is the prior state
 * itself. While it is unknown whether an argument has changed, `rotation` is unknown.
 */
export function plannedRotation(
  { schema, summary, known, names = [] }: RotatingBlock,
  { prior, config }: Pick<PlannedChange, "prior" | "config">,
  { due, reason, consequence, notices = [] }: Occasion,
): Plan {
  // An argument that is also a result is one or the other.
  const isResult = ([name, { computed }]: readonly [string, AttributeSchema]) =>
    computed === true && (config[name] ?? null) === null;
  const attributes = Object.entries(schema.attributes);
  const results = attributes.filter(isResult).map(([name]): [string, CtyValue] => [name, UNKNOWN]);
  const planned = { ...config, ...Object.fromEntries(results), ...known?.(config) };
  if (prior === null)
    return { planned: { ...planned, ...firstCount(newUnknownId) }, diagnostics: notices };

  const given = attributes.filter((each) => !isResult(each)).map(([name]) => name);
  const { changed, unknown } = changedArguments(given, config, prior, names);
  const have = changed.length > 1 ? "have" : "has";
  const reasons = [
    changed.length > 0 ? `${list(changed)} ${have} changed.` : undefined,
    due,
    reason,
    isCountLost(prior) ? COUNT_LOST : undefined,
  ];
  const isCertain = reasons.some((each) => each !== undefined);
  if (!isCertain && unknown.length === 0) return { planned: prior };
  const maybe = `${are(unknown)} not known before apply: if the value has not changed, apply does nothing.`;
  const sentences = [...(isCertain ? reasons : [maybe]), consequence];
  const why = sentences.filter((each) => each !== undefined).join("\n");
  const count = countAfter(prior, newUnknownId);
  return {
    planned: { ...planned, ...count, ...(unknown.length > 0 ? { rotation: UNKNOWN } : {}) },
    diagnostics: [warning(summary, why), ...notices],
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
 *
 * @param spelled those that are names, of which only the spelling may differ
 */
export function changedArguments(
  names: readonly string[],
  config: CtyObject,
  prior: CtyObject,
  spelled: readonly string[] = [],
) {
  const isSame = (name: string): boolean => {
    const [one, other] = [config[name] ?? null, prior[name] ?? null];
    const areNames = spelled.includes(name) && typeof one === "string" && typeof other === "string";
    return areNames ? isSameName(one, other) : isDeepStrictEqual(one, other);
  };
  const unknown = names.filter((name) => isOpen(config[name] ?? null));
  const changed = names.filter((name) => !unknown.includes(name) && !isSame(name));
  return { changed, unknown };
}

function isOpen(value: CtyValue): boolean {
  return value === UNKNOWN || (Object(value) === value && Object.values(value ?? {}).some(isOpen));
}
