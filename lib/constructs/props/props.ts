import type { Mistakes } from "./mistakes";
import { shown } from "./shown";

/**
 * Refuses properties that a construct does not have. TypeScript does so when it compiles; without
 * it a misspelt property would be accepted and ignored.
 *
 * @returns the properties as a record, empty when nothing or no object was given
 */
export function checkProps(
  props: unknown,
  known: readonly string[],
  mistakes: Mistakes,
): Readonly<Record<string, unknown>> {
  if (typeof props !== "object" || props === null) {
    mistakes.add(
      "ERR_PROP_INVALID",
      `The properties are ${props === undefined ? "missing" : shown(props)}.`,
      {
        allowed: `an object with ${known.join(", ")}`,
      },
    );
    return {};
  }
  for (const name of Object.keys(props)) {
    if (known.includes(name)) continue;
    const meant = nearest(name, known);
    mistakes.add("ERR_PROP_INVALID", `There is no property ${shown(name)}.`, {
      allowed: known.join(", "),
      ...(meant !== undefined && { remedy: `Did you mean ${meant}?` }),
    });
  }
  return props as Readonly<Record<string, unknown>>;
}

/** A flag: true, false or not given. */
export function checkFlag(name: string, value: unknown, mistakes: Mistakes): boolean | undefined {
  if (value === undefined || typeof value === "boolean") return value;
  mistakes.add("ERR_PROP_INVALID", `${name} is ${shown(value)}.`, { allowed: "true or false" });
  return undefined;
}

/** The name that a misspelt one is nearest to, when it is near. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  // A longer one is none of ours, and takes long to compare.
  if (name.length > 60) return undefined;
  const [best] = known
    .map((one) => ({ one, distance: distanceOf(name.toLowerCase(), one.toLowerCase()) }))
    .filter(({ one, distance }) => distance <= Math.max(1, Math.floor(one.length / 3)))
    .sort((a, b) => a.distance - b.distance);
  return best?.one;
}

/** How many letters must be put in, taken out or changed (Levenshtein). */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [at, other] of [...to].entries()) {
      const change = (row[at] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(change, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
