import fc from "fast-check";
import type { Attributes } from "../../../lib/plugin/cty/block-value";
import {
  type CtyObject,
  type CtyPrimitive,
  type CtyType,
  type CtyValue,
  UNKNOWN,
} from "../../../lib/plugin/cty/value";

const NAMES = fc.oneof(
  fc.constantFrom("__proto__", "constructor", "toString", "", "0", "a"),
  fc.string({ unit: "grapheme", maxLength: 8 }),
);

const numbers: fc.Arbitrary<CtyValue> = fc.oneof(
  fc.maxSafeInteger(),
  fc.constantFrom(0, -1, 127, 128, -129, 2 ** 31, -(2 ** 31) - 1, 2 ** 32, 2 ** 53 - 1),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
);

const PRIMITIVES = ["string", "number", "bool"] as const;
const types: fc.Arbitrary<CtyType> = fc.oneof(
  fc.constantFrom<CtyType>(...PRIMITIVES),
  fc.tuple(
    fc.constantFrom("list" as const, "set" as const, "map" as const),
    fc.constantFrom(...PRIMITIVES),
  ),
);

function valuesOf(type: CtyType): fc.Arbitrary<CtyValue> {
  return fc.oneof(
    { weight: 8, arbitrary: knownValuesOf(type) },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constant<CtyValue>(UNKNOWN) },
  );
}

function knownValuesOf(type: CtyType): fc.Arbitrary<CtyValue> {
  if (typeof type === "string") return primitives(type);
  const [kind, of] = type;
  return kind !== "map"
    ? fc.array(valuesOf(of), { maxLength: 4 })
    : fc.dictionary(NAMES, valuesOf(of), { maxKeys: 4 });
}

function primitives(type: CtyPrimitive): fc.Arbitrary<CtyValue> {
  if (type === "string") return fc.string({ unit: "grapheme" });
  return type === "number" ? numbers : fc.boolean();
}

/** The attributes of a block, and a value of it. */
export interface Typed {
  readonly attributes: Attributes;
  readonly block: CtyObject;
}

export const typed: fc.Arbitrary<Typed> = fc
  .uniqueArray(fc.tuple(NAMES, types), { maxLength: 4, selector: ([name]) => name })
  .chain((declared) =>
    fc
      .tuple(
        ...declared.map(([name, type]) => valuesOf(type).map((value) => [name, value] as const)),
      )
      .map((values): Typed => {
        const attributes = declared.map(([name, type]) => [name, { type }] as const);
        return {
          attributes: withoutPrototype(attributes),
          block: withoutPrototype(values),
        };
      }),
  );

function withoutPrototype<Value>(entries: readonly (readonly [string, Value])[]) {
  const made: Record<string, Value> = Object.create(null);
  for (const [name, value] of entries) made[name] = value;
  return made;
}
