import type { CtyObject, CtyValue } from "../../plugin/cty/value";
import { UNKNOWN } from "../../plugin/cty/value";
import type { BlockSchema, ManagedResource, Plan, PlannedChange } from "../../plugin/provider";
import { IamTokensError } from "../../tokens";
import { toDiagnostic } from "../configuration/diagnostics";
import { are, list } from "../configuration/wording";
import { countAfter, firstCount, isCountLost } from "./count";

/** What the resources that rotate get from outside. */
export interface RotationTools {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Makes an id that no other instance has. */
  readonly newId: () => string;
}

/** A resource that rotates, as its plan needs to know it. */
export interface RotatingBlock {
  readonly schema: BlockSchema;
  /** Summary of the warning that says why it rotates. */
  readonly summary: string;
  /** Computed attributes that the configuration alone decides. */
  known(config: CtyObject): CtyObject;
}

/** Reasons to rotate an instance that is there, as sentences, and what is to be said after them. */
export interface Occasion {
  readonly reasons: readonly string[];
  readonly consequence?: string;
}

/** A plan; it maybe rotates where only an argument that is not known could be the reason. */
interface PlannedRotation {
  readonly plan: Plan;
  readonly rotates: "yes" | "no" | "maybe";
}

const COUNT_LOST =
  "id or rotation in the state are not what this provider writes: it counts from 1 again, with a new id. Look after whatever compares the number alone.";

/** An id is made when it is applied: one made here would be another when Terraform plans again. */
const newUnknownId = (): CtyValue => UNKNOWN;

/**
 * Plans a resource that rotates.
 *
 * Terraform plans again when it applies, so that nothing known here may depend on the clock, but
 * for whether it rotates at all: every planned update rotates, and known are `id`, `rotation` (one
 * higher) and what the configuration decides. As long as it is not known whether an argument has
 * changed, `rotation` is not known either.
 */
export function planRotation(
  { schema, summary, known }: RotatingBlock,
  { prior, config }: PlannedChange,
  { reasons: given, consequence }: Occasion,
): PlannedRotation {
  const names = (wanted: boolean): readonly string[] =>
    Object.keys(schema.attributes).filter(
      (name) => (schema.attributes[name]?.computed ?? false) === wanted,
    );
  const open = Object.fromEntries(names(true).map((name): [string, CtyValue] => [name, UNKNOWN]));
  const planned = { ...config, ...open, ...known(config) };
  if (prior === null)
    return { rotates: "yes", plan: { planned: { ...planned, ...firstCount(newUnknownId) } } };

  const { changed, unknown } = changedArguments(names(false), config, prior);
  const reasons = [
    ...(changed.length > 0
      ? [`${list(changed)} ${changed.length > 1 ? "have" : "has"} changed.`]
      : []),
    ...given,
    ...(isCountLost(prior) ? [COUNT_LOST] : []),
  ];
  if (reasons.length === 0 && unknown.length === 0)
    return { rotates: "no", plan: { planned: prior } };
  const maybe = `${are(unknown)} not known before apply: should it be what it was, nothing is done.`;
  const sentences = [
    ...(reasons.length > 0 ? reasons : [maybe]),
    ...(consequence ? [consequence] : []),
  ];
  const count = countAfter(prior, newUnknownId);
  return {
    rotates: reasons.length > 0 ? "yes" : "maybe",
    plan: {
      planned: { ...planned, ...count, ...(unknown.length > 0 ? { rotation: UNKNOWN } : {}) },
      diagnostics: [{ severity: "warning", summary, detail: sentences.join("\n") }],
    },
  };
}

/**
 * The arguments of a change that is carried out, as they were planned: Terraform hands the
 * configuration to apply as it is written, without what `ignore_changes` keeps as it was.
 */
export function plannedArguments({ attributes }: BlockSchema, planned: CtyObject): CtyObject {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, { computed }]) => [
      name,
      computed ? null : (planned[name] ?? null),
    ]),
  );
}

/** Of a resource that cannot be imported. */
export function refuseImport(problem: string): NonNullable<ManagedResource<unknown>["import"]> {
  const error = new IamTokensError("ERR_IMPORT_REFUSED", problem);
  return async () => ({ diagnostics: [toDiagnostic(error)] });
}

/** Names of arguments with another value now, and of those of which that is not known yet. */
interface ChangedArguments {
  readonly changed: readonly string[];
  readonly unknown: readonly string[];
}

/** Compares arguments of the configuration with those of the state. One left out is null. */
export function changedArguments(
  names: readonly string[],
  config: CtyObject,
  prior: CtyObject,
): ChangedArguments {
  const where = (wanted: Sameness): readonly string[] =>
    names.filter((name) => compare(config[name] ?? null, prior[name] ?? null) === wanted);
  return { changed: where("different"), unknown: where("unknown") };
}

type Sameness = "same" | "different" | "unknown";

/** What is different in one place is different, whatever else is not known. */
function compare(one: CtyValue, other: CtyValue): Sameness {
  if (one === UNKNOWN || other === UNKNOWN) return "unknown";
  if (one === other) return "same";
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
    return "different";
  const [left, right] = [new Map(Object.entries(one)), new Map(Object.entries(other))];
  if (left.size !== right.size) return "different";
  const parts = [...left].map(([key, value]): Sameness => {
    const counterpart = right.get(key);
    return counterpart === undefined ? "different" : compare(value, counterpart);
  });
  if (parts.includes("different")) return "different";
  return parts.includes("unknown") ? "unknown" : "same";
}
