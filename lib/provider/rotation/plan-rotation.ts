import type { CtyObject, CtyValue } from "../../plugin/cty/value";
import { UNKNOWN } from "../../plugin/cty/value";
import type { BlockSchema, Diagnostic, Plan, PlannedChange } from "../../plugin/provider";
import { list } from "../configuration/wording";
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

/**
 * What made the provider look at an instance that is there: reasons to rotate it, as sentences, and
 * what else is to be said then.
 */
export interface Occasion {
  readonly reasons: readonly string[];
  /** Said after the reasons, such as until when the present token lives. */
  readonly consequence?: string;
}

/**
 * A plan, and whether it rotates: where an argument is not known before apply and nothing else is a
 * reason, maybe.
 */
export interface PlannedRotation {
  readonly plan: Plan;
  readonly rotates: "yes" | "no" | "maybe";
}

/**
 * Plans a resource that rotates.
 *
 * Terraform plans again when it applies, so that nothing known here may depend on the clock, but
 * for whether it rotates at all: every planned update rotates, and known are `id`, `rotation` (one
 * higher) and what the configuration decides. As long as it is not known whether an argument has
 * changed, `rotation` is not known either.
 */
export function planRotation(
  block: RotatingBlock,
  { prior, config }: PlannedChange,
  occasion: Occasion,
): PlannedRotation {
  const attributes = Object.entries(block.schema.attributes);
  const open: Record<string, CtyValue> = {};
  for (const [name, { computed }] of attributes) if (computed) open[name] = UNKNOWN;
  const decided = block.known(config);
  if (prior === null)
    return {
      rotates: "yes",
      plan: { planned: { ...config, ...open, ...decided, ...firstCount(newUnknownId) } },
    };

  const names = attributes.filter(([, { computed }]) => !computed).map(([name]) => name);
  const { changed, unknown } = changedArguments(names, config, prior);
  const reasons = [
    ...(changed.length > 0
      ? [`${list(changed)} ${changed.length > 1 ? "have" : "has"} changed.`]
      : []),
    ...occasion.reasons,
    ...(isCountLost(prior) ? [COUNT_LOST] : []),
  ];
  if (reasons.length === 0 && unknown.length === 0)
    return { rotates: "no", plan: { planned: prior } };
  return {
    rotates: reasons.length > 0 ? "yes" : "maybe",
    plan: {
      planned: {
        ...config,
        ...open,
        ...decided,
        ...countAfter(prior, newUnknownId),
        ...(unknown.length > 0 ? { rotation: UNKNOWN } : {}),
      },
      diagnostics: [because(block.summary, reasons, unknown, occasion.consequence)],
    },
  };
}

const COUNT_LOST =
  "id or rotation in the state are not what this provider writes: it counts from 1 again, with a new id. Look after whatever compares the number alone.";

/**
 * An id is made when it is applied: one that was made here would be another one when Terraform
 * plans again.
 */
const newUnknownId = (): CtyValue => UNKNOWN;

function because(
  summary: string,
  reasons: readonly string[],
  unknown: readonly string[],
  consequence: string | undefined,
): Diagnostic {
  const maybe = `${list(unknown)} ${unknown.length > 1 ? "are" : "is"} not known before apply: should it be what it was, nothing is done.`;
  const sentences = [
    ...(reasons.length > 0 ? reasons : [maybe]),
    ...(consequence === undefined ? [] : [consequence]),
  ];
  return { severity: "warning", summary, detail: sentences.join("\n") };
}

/**
 * The arguments of a change that is carried out, as they were planned. Terraform hands the
 * configuration to apply as it is written: what
 * `ignore_changes` keeps as it was stands in the plan alone, and the new state has to be what was
 * planned.
 */
export function plannedArguments({ attributes }: BlockSchema, planned: CtyObject): CtyObject {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, { computed }]) => [
      name,
      computed ? null : (planned[name] ?? null),
    ]),
  );
}

/**
 * Names of arguments whose value is another one now, and of those of which that is not known yet.
 */
export interface ChangedArguments {
  readonly changed: readonly string[];
  readonly unknown: readonly string[];
}

/**
 * Compares arguments of the configuration with those of the state. One that is left out is null.
 */
export function changedArguments(
  names: readonly string[],
  config: CtyObject,
  prior: CtyObject,
): ChangedArguments {
  const result = names.map((name) => ({
    name,
    sameness: compare(config[name] ?? null, prior[name] ?? null),
  }));
  const where = (wanted: Sameness) =>
    result.filter(({ sameness }) => sameness === wanted).map(({ name }) => name);
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
