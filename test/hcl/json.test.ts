import { isTable, member, tablesAt } from "../../lib/hcl/json";

test("a table is an object, and nothing else that JSON or JavaScript has", () => {
  expect([{}, { a: 1 }].every(isTable)).toBe(true);
  for (const other of [null, undefined, [], [{}], "a", 1, true, () => ({})])
    expect([other, isTable(other)]).toEqual([other, false]);
});

test.each<{ what: string; value: unknown; name: string; read: unknown }>([
  { what: "its own", value: { a: null }, name: "a", read: null },
  { what: "one that is not there", value: { a: 1 }, name: "b", read: undefined },
  { what: "one of every object", value: {}, name: "constructor", read: undefined },
  { what: "one of a list", value: ["x"], name: "0", read: undefined },
  { what: "one of a string", value: "x", name: "length", read: undefined },
  { what: "one of null", value: null, name: "a", read: undefined },
])("the member of a table: $what", ({ value, name, read }) => {
  expect(member(value, name)).toBe(read);
});

test("the tables in a value are itself, or those of a list", () => {
  expect(tablesAt({ a: 1 })).toEqual([{ a: 1 }]);
  expect(tablesAt([{ a: 1 }, null, "x", [{ b: 2 }], { c: 3 }])).toEqual([
    { a: 1 },
    { b: 2 },
    { c: 3 },
  ]);
  expect(tablesAt([{ a: { b: [{ c: 1 }, { d: 2 }] } }, { a: [] }], "a", "b")).toEqual([
    { c: 1 },
    { d: 2 },
  ]);
  for (const value of [[], "x", undefined]) expect(tablesAt(value)).toEqual([]);
});
