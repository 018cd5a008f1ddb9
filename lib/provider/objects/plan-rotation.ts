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
import { IamTokensError, isSameName } from "../../tokens";
import { argument, computed } from "../configuration/argument";
import { toDiagnostic, warning } from "../configuration/diagnostics";
import { are, list } from "../wording";

/** Values whose change forces a rotation. */
export const KEEPERS: AttributeSchema = argument(
  ["map", "string"],
  "Any strings; a change of one of them rotates. They are stored in the state in plain text.",
);

/** Attributes of every resource that rotates: its count. */
export const ROTATION_ATTRIBUTES: Readonly<Record<string, AttributeSchema>> = {
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

/** A resource that rotates, for its plan. */
export interface RotatingBlock {
  readonly schema: BlockSchema;
  /** Summary of the warning that names the reasons of a rotation. */
  readonly summary: string;
  /** Computed attributes that the configuration alone decides. */
  known(config: CtyObject): CtyObject;
  /** Arguments that are names: another spelling of the same name is no change. */
  readonly names?: readonly string[];
}

/** Reasons to rotate an existing instance, as sentences, and the sentences that follow them. */
export interface Occasion {
  readonly reasons: readonly string[];
  readonly consequence?: string;
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
 * itself. While it is unknown whether an argument has
 * changed, `rotation` is unknown.
 */
export function planRotation(
  { schema, summary, known, names = [] }: RotatingBlock,
  { prior, config }: PlannedChange,
  { reasons: others, consequence }: Occasion,
): Plan {
  // An argument that is also a result is one or the other.
  const isResult = ([name, { computed }]: readonly [string, AttributeSchema]) =>
    computed === true && (config[name] ?? null) === null;
  const attributes = Object.entries(schema.attributes);
  const results = attributes.filter(isResult).map(([name]): [string, CtyValue] => [name, UNKNOWN]);
  const planned = { ...config, ...Object.fromEntries(results), ...known(config) };
  if (prior === null) return { planned: { ...planned, ...firstCount(newUnknownId) } };

  const given = attributes.filter((each) => !isResult(each)).map(([name]) => name);
  const { changed, unknown } = changedArguments(given, config, prior, names);
  const reasons = [
    ...(changed.length > 0
      ? [`${list(changed)} ${changed.length > 1 ? "have" : "has"} changed.`]
      : []),
    ...others,
    ...(isCountLost(prior) ? [COUNT_LOST] : []),
  ];
  if (reasons.length === 0 && unknown.length === 0) return { planned: prior };
  const maybe = `${are(unknown)} not known before apply: if the value has not changed, apply does nothing.`;
  const sentences = [
    ...(reasons.length > 0 ? reasons : [maybe]),
    ...(consequence ? [consequence] : []),
  ];
  const count = countAfter(prior, newUnknownId);
  return {
    planned: { ...planned, ...count, ...(unknown.length > 0 ? { rotation: UNKNOWN } : {}) },
    diagnostics: [warning(summary, sentences.join("\n"))],
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

/** For a resource that cannot be imported. */
export function refuseImport(problem: string): Diagnostic {
  return toDiagnostic(new IamTokensError("ERR_IMPORT_REFUSED", problem));
}

/** Names of arguments that have a new value, and of those for which this is unknown. */
interface ChangedArguments {
  readonly changed: readonly string[];
  readonly unknown: readonly string[];
}

/**
 * Compares arguments of the configuration with those of the state. A missing one is null; one with
 * an unknown part may be the same.
 *
 * @param spelled those that are names, of which only the spelling may differ
 */
export function changedArguments(
  names: readonly string[],
  config: CtyObject,
  prior: CtyObject,
  spelled: readonly string[] = [],
): ChangedArguments {
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
