import { defined } from "../../lib/tokens";

test("leaves out undefined; null, 0 and an empty string are values", () => {
  expect(Object.entries(defined({ a: 1, b: undefined, c: null, d: 0, e: "" }))).toEqual([
    ["a", 1],
    ["c", null],
    ["d", 0],
    ["e", ""],
  ]);
});
