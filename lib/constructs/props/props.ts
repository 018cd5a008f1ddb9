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
    mistakes.add("ERR_PROP_INVALID", `There is no property ${shown(name)}.`, {
      allowed: known.join(", "),
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
