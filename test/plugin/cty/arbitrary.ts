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
  fc.constantFrom("constructor", "toString", "", "0", "a"),
  fc.string({ unit: "grapheme", maxLength: 8 }).filter((name) => name !== "__proto__"),
);

const VALUES: Readonly<Record<CtyPrimitive, fc.Arbitrary<CtyValue>>> = {
  string: fc.string({ unit: "grapheme" }),
  number: fc.maxSafeInteger(),
  bool: fc.boolean(),
};

const primitives = fc.constantFrom<CtyPrimitive>("string", "number", "bool");
const types: fc.Arbitrary<CtyType> = fc.oneof(
  primitives,
  fc.tuple(fc.constantFrom("list" as const, "set" as const, "map" as const), primitives),
);

function valuesOf(type: CtyType): fc.Arbitrary<CtyValue> {
  return fc.oneof(
    { weight: 8, arbitrary: knownValuesOf(type) },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constant<CtyValue>(UNKNOWN) },
  );
}

function knownValuesOf(type: CtyType): fc.Arbitrary<CtyValue> {
  if (typeof type === "string") return VALUES[type];
  const [kind, of] = type;
  return kind !== "map"
    ? fc.array(valuesOf(of), { maxLength: 4 })
    : fc.dictionary(NAMES, valuesOf(of), { maxKeys: 4 });
}

/** The attributes of a block, and a value of it. */
interface Typed {
  readonly attributes: Attributes;
  readonly block: CtyObject;
}

export const typed: fc.Arbitrary<Typed> = fc
  .uniqueArray(fc.tuple(NAMES, types), { maxLength: 4, selector: ([name]) => name })
  .chain((declared) =>
    fc.tuple(...declared.map(([, type]) => valuesOf(type))).map((values) => ({
      attributes: Object.fromEntries(declared.map(([name, type]) => [name, { type }])),
      block: Object.fromEntries(declared.map(([name], at) => [name, values[at] ?? null])),
    })),
  );
