import fc from "fast-check";
import { type CtyType, type CtyValue, Decimal, UNKNOWN } from "../../../lib/plugin/cty";

/** Seed of all properties: a failure is the same failure again. */
export const PROPERTY = { seed: 20_261_121, numRuns: 400 };

const NAMES = fc.oneof(
  fc.constantFrom("__proto__", "constructor", "toString", "", "0", "a"),
  fc.string({ unit: "grapheme", maxLength: 8 }),
);

/** Numbers in canonical form. */
const numbers: fc.Arbitrary<CtyValue> = fc.oneof(
  fc.maxSafeInteger(),
  fc.constantFrom(
    0,
    1,
    -1,
    127,
    128,
    -129,
    2 ** 31,
    -(2 ** 31) - 1,
    2 ** 32,
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Number.isInteger(value)),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 70n }),
  fc.bigInt({ min: -(2n ** 70n), max: -(2n ** 53n) }),
  fc.constantFrom(2n ** 63n, 2n ** 63n - 1n, -(2n ** 63n), -(2n ** 63n) - 1n, 2n ** 64n),
  fc
    .tuple(fc.integer(), fc.nat({ max: 999 }))
    .map(([whole, tenths]) => new Decimal(`${whole}.${tenths}1`)),
);

const types: fc.Arbitrary<CtyType> = fc.letrec<{ type: CtyType }>((tie) => ({
  type: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<CtyType>("string", "number", "bool", "dynamic"),
    fc.tuple(fc.constantFrom("list" as const, "set" as const, "map" as const), tie("type")),
    fc.tuple(fc.constant("tuple" as const), fc.array(tie("type"), { maxLength: 3 })),
    fc.tuple(fc.constant("object" as const), fc.dictionary(NAMES, tie("type"), { maxKeys: 3 })),
  ),
})).type;

function valuesOf(type: CtyType): fc.Arbitrary<CtyValue> {
  const sometimes = (known: fc.Arbitrary<CtyValue>): fc.Arbitrary<CtyValue> =>
    fc.oneof(
      { weight: 8, arbitrary: known },
      { weight: 1, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.constant<CtyValue>(UNKNOWN) },
    );
  if (type === "string") return sometimes(fc.string({ unit: "grapheme" }));
  if (type === "number") return sometimes(numbers);
  if (type === "bool") return sometimes(fc.boolean());
  if (type === "dynamic")
    return fc.oneof(
      fc.string(),
      fc.boolean(),
      numbers,
      fc.constant(null),
      fc.constant<CtyValue>(UNKNOWN),
      fc.array(fc.string()),
    );
  switch (type[0]) {
    case "list":
    case "set":
      return sometimes(fc.array(valuesOf(type[1]), { maxLength: 4 }));
    case "map":
      return sometimes(fc.dictionary(NAMES, valuesOf(type[1]), { maxKeys: 4 }));
    case "tuple":
      return sometimes(fc.tuple(...type[1].map(valuesOf)));
    case "object": {
      const entries = Object.entries(type[1]).map(([name, of]) =>
        valuesOf(of).map((value) => [name, value] as const),
      );
      return sometimes(
        fc
          .tuple(...entries)
          .map((all) => Object.assign(Object.create(null), Object.fromEntries(all))),
      );
    }
  }
}

/** A type and a value of it. */
export interface Typed {
  readonly type: CtyType;
  readonly value: CtyValue;
}

export const typed: fc.Arbitrary<Typed> = types.chain((type) =>
  valuesOf(type).map((value): Typed => ({ type, value })),
);
