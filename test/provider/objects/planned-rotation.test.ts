import { type CtyObject, type CtyValue, UNKNOWN } from "../../../lib/plugin/cty/value";
import type { BlockSchema } from "../../../lib/plugin/provider";
import { argument, computed } from "../../../lib/provider/configuration/argument";
import {
  changedArguments,
  type Occasion,
  plannedArguments,
  plannedRotation,
  type RotatingBlock,
} from "../../../lib/provider/objects/planned-rotation";

const SAME = { changed: [], unknown: [] };
const DIFFERENT = { changed: ["a"], unknown: [] };
const NOT_KNOWN = { changed: [], unknown: ["a"] };

const VALUES: readonly (readonly [
  now: CtyValue | undefined,
  before: CtyValue | undefined,
  object,
])[] = [
  [null, null, SAME],
  [undefined, null, SAME],
  ["x", undefined, DIFFERENT],
  ["x", "x", SAME],
  ["x", "X", DIFFERENT],
  [{}, null, DIFFERENT],
  [{}, {}, SAME],
  [["a", "b"], ["a", "b"], SAME],
  [{ a: "1", b: "2" }, { b: "2", a: "1" }, SAME],
  [{ a: "1" }, { b: "1" }, DIFFERENT],
  [{ a: "1" }, { a: "2" }, DIFFERENT],
  [UNKNOWN, null, NOT_KNOWN],
  [{ a: UNKNOWN, b: "2" }, { a: "1", b: "1" }, NOT_KNOWN],
  [["a", UNKNOWN], ["a", "b"], NOT_KNOWN],
];

test("an argument is the same, another, or not known", () => {
  const holding = (a: CtyValue | undefined): CtyObject => (a === undefined ? {} : { a });
  for (const [now, before, expected] of VALUES)
    expect(changedArguments(["a"], holding(now), holding(before))).toEqual(expected);
});

const schema: BlockSchema = {
  description: "",
  attributes: {
    a: argument("string", ""),
    b: argument("string", ""),
    flag: argument("string", ""),
    every: argument("string", ""),
    id: computed("string", ""),
    rotation: computed("number", ""),
    header: computed("string", ""),
    secret: computed("string", ""),
    next: computed("string", ""),
  },
};
const block: RotatingBlock = {
  ...{ schema, summary: "It rotates", known: () => ({ header: "X" }) },
  ...{ adjustable: ["flag", "every"], timing: ["every"] },
  following: (_, { every = null }) => ({ next: every }),
};
const CONFIG: CtyObject = { a: "1", b: "2", flag: "f", every: "e" };
const PRIOR: CtyObject = { ...CONFIG, id: "i", rotation: 4, header: "X", secret: "s", next: "e" };
const FRESH: CtyObject = { header: "X", secret: UNKNOWN, next: UNKNOWN };
const plan = (prior: CtyObject | null, config = CONFIG, occasion: Occasion = {}) =>
  plannedRotation(block, { prior, config }, occasion);
const sentences = (...args: Parameters<typeof plan>) => plan(...args).diagnostics?.[0]?.detail;

describe("a plan", () => {
  test("with a reason has the next number, and says why", () => {
    expect(plan(PRIOR, CONFIG, { due: "It is due.", consequence: "So." })).toEqual({
      planned: { ...CONFIG, ...FRESH, id: "i", rotation: 5 },
      diagnostics: [{ severity: "warning", summary: "It rotates", detail: "It is due.\nSo." }],
    });
  });

  test("reports a change first", () => {
    const said = (change: CtyObject) =>
      sentences(PRIOR, { ...CONFIG, ...change }, { due: "It is due." });
    expect(said({ a: "x" })).toBe("a has changed.\nIt is due.");
    expect(said({ a: "x", b: "x" })).toBe("a and b have changed.\nIt is due.");
  });

  test("with an unknown argument may rotate", () => {
    const open: CtyObject = { ...CONFIG, a: UNKNOWN };
    expect(plan(PRIOR, open).planned).toMatchObject({ a: UNKNOWN, id: "i", rotation: UNKNOWN });
    expect(sentences(PRIOR, open)).toBe(
      "a is not known before apply: if the value has not changed, apply does nothing.",
    );
  });

  test("may rotate while it is unknown when it is due", () => {
    const open: CtyObject = { ...CONFIG, every: UNKNOWN };
    expect(plan(PRIOR, open).planned).toMatchObject({ every: UNKNOWN, rotation: UNKNOWN });
    expect(sentences(PRIOR, open)).toContain("every is not known before apply");
  });

  test("with such an argument and a reason rotates, and gives only the reason", () => {
    const config: CtyObject = { ...CONFIG, a: UNKNOWN, b: "x" };
    expect(sentences(PRIOR, config)).toBe("b has changed.");
  });
});

test("the arguments of a change are those that were planned", () => {
  expect(plannedArguments(schema, { a: "1", header: "X", secret: "s" })).toEqual({
    a: "1",
    b: null,
    flag: null,
    every: null,
    next: null,
    id: null,
    rotation: null,
    header: null,
    secret: null,
  });
});
