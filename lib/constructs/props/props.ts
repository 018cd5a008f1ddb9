import type { Mistakes } from "./mistakes";
import { quoted } from "./quoted";

/**
 * Refuses properties that a construct does not have. TypeScript does this at compile time; in other
 * programs, a misspelt property would be silently ignored.
 *
 * @returns the properties as a record, empty if no object was given
 */
export function checkProps(
  props: unknown,
  known: readonly string[],
  mistakes: Mistakes,
): Readonly<Record<string, unknown>> {
  if (typeof props !== "object" || props === null) {
    mistakes.add(
      "ERR_PROP_INVALID",
      `The properties are ${props === undefined ? "missing" : quoted(props)}.`,
      {
        allowed: `an object with ${known.join(", ")}`,
      },
    );
    return {};
  }
  for (const name of Object.keys(props)) {
    if (known.includes(name)) continue;
    const meant = nearest(name, known);
    mistakes.add("ERR_PROP_INVALID", `There is no property ${quoted(name)}.`, {
      allowed: known.join(", "),
      ...(meant !== undefined && { remedy: `Did you mean ${meant}?` }),
    });
  }
  return props as Readonly<Record<string, unknown>>;
}

/** A flag: true, false or undefined. */
export function checkFlag(name: string, value: unknown, mistakes: Mistakes): boolean | undefined {
  if (value === undefined || typeof value === "boolean") return value;
  mistakes.add("ERR_PROP_INVALID", `${name} is ${quoted(value)}.`, { allowed: "true or false" });
  return undefined;
}

/** The known name nearest to a misspelt one, if there is a near one. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  // A longer name is not a misspelling of ours, and comparing it takes long.
  if (name.length > 60) return undefined;
  const [best] = known
    .map((one) => ({ one, distance: distanceOf(name.toLowerCase(), one.toLowerCase()) }))
    .filter(({ one, distance }) => distance <= Math.max(1, Math.floor(one.length / 3)))
    .sort((a, b) => a.distance - b.distance);
  return best?.one;
}

/** How many letters must be inserted, removed or replaced (Levenshtein). */
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
