import fc from "fast-check";
import { UNKNOWN } from "../../../lib/plugin/cty/value";
import { changedArguments } from "../../../lib/provider/rotation/plan-rotation";

const compare = (one: never, other: never) => changedArguments(["a"], { a: one }, { a: other });
const SAME = { changed: [], unknown: [] };
const DIFFERENT = { changed: ["a"], unknown: [] };
const NOT_KNOWN = { changed: [], unknown: ["a"] };

test.each([
  [null, null, SAME],
  ["x", "x", SAME],
  ["x", null, DIFFERENT],
  [null, "x", DIFFERENT],
  [{}, null, DIFFERENT],
  [{}, {}, SAME],
  [["a", "b"], ["a", "b"], SAME],
  [["a"], ["a", "b"], DIFFERENT],
  [{ a: "1" }, { a: "1" }, SAME],
  [{ a: "1" }, { b: "1" }, DIFFERENT],
  [{ a: "1" }, { a: "2" }, DIFFERENT],
  [UNKNOWN, null, NOT_KNOWN],
  [{ a: UNKNOWN }, { a: "1" }, NOT_KNOWN],
  [{ a: UNKNOWN }, {}, DIFFERENT],
  [{ a: UNKNOWN, b: "2" }, { a: "1", b: "1" }, DIFFERENT],
  [{ a: null }, { a: null }, SAME],
])("%p now and %p before", (one, other, expected) => {
  expect(compare(one as never, other as never)).toEqual(expected);
});

test("an argument that is left out is null", () => {
  expect(changedArguments(["a"], {}, { a: null })).toEqual(SAME);
  expect(changedArguments(["a"], { a: "x" }, {})).toEqual(DIFFERENT);
});

test("a map is the same in whichever order its keys are, and the key __proto__ is one as any other", () => {
  const map = (entries: [string, string][]) =>
    Object.assign(Object.create(null), Object.fromEntries(entries));
  const property = fc.property(
    fc.uniqueArray(fc.tuple(fc.string(), fc.string()), { selector: ([key]) => key }),
    (entries) => {
      expect(
        changedArguments(["a"], { a: map(entries) }, { a: map([...entries].reverse()) }),
      ).toEqual(SAME);
    },
  );
  fc.assert(property, { seed: 3 });
});
