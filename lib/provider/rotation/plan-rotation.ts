import type { CtyObject, CtyValue } from "../../plugin/cty/value";
import { UNKNOWN } from "../../plugin/cty/value";
import type { BlockSchema, Diagnostic, Plan, PlannedChange } from "../../plugin/provider";
import { list } from "../wording";
import { countAfter, firstCount, isCountLost } from "./count";
import { changedArguments } from "./sameness";

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
