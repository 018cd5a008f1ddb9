import { defined } from "../../lib/tokens";

test("what has no value is left out; null, 0 and an empty text are values", () => {
  expect(Object.entries(defined({ a: 1, b: undefined, c: null, d: 0, e: "" }))).toEqual([
    ["a", 1],
    ["c", null],
    ["d", 0],
    ["e", ""],
  ]);
});
