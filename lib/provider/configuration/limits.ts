import type { CtyObject, CtyValue } from "../../plugin/cty/value";
import type { BlockSchema, Diagnostic } from "../../plugin/provider";
import { assertCount, assertLength, DESTINATIONS_LIMIT, PATH_LIMIT, quote } from "../../tokens";
import { check } from "./diagnostics";

/**
 * The arguments of a block that are too long: strings, also as elements, keys and values of
 * collections. Unknown ones are skipped, as are computed attributes.
 *
 * No path: for one, Terraform would print the argument's line or its whole value.
 */
export function excessIn(block: CtyObject, { attributes }: BlockSchema): readonly Diagnostic[] {
  return Object.entries(attributes)
    .filter(([, { computed }]) => computed !== true)
    .flatMap(([name, { isPath }]) =>
      check([], () => assertLimits(name, block[name] ?? null, isPath ? PATH_LIMIT : undefined)),
    );
}

function assertLimits(name: string, value: CtyValue, limit?: number): void {
  if (typeof value === "string") {
    assertLength(name, value, limit);
  } else if (Array.isArray(value)) {
    assertCount(name, value.length, DESTINATIONS_LIMIT);
    for (const element of value) assertLimits(`An element of ${name}`, element, limit);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, element] of Object.entries(value)) {
      assertLimits(`A key of ${name}`, key, limit);
      assertLimits(`${name}[${quote(key)}]`, element, limit);
    }
  }
}
