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
    mistakes.add("ERR_PROP_INVALID", `There is no property ${quoted(name)}.`, {
      allowed: known.join(", "),
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
