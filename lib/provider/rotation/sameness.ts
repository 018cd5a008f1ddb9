import type { CtyObject, CtyValue } from "../../plugin/cty/value";
import { UNKNOWN } from "../../plugin/cty/value";

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
