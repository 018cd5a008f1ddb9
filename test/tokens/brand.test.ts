import { Brand } from "../../lib/tokens/brand";

test("is recognized by another copy of the package, and by no other class", () => {
  const object = {};
  new Brand("Example").putOn(object);
  expect(new Brand("Example").isOn(object)).toBe(true);
  expect(new Brand("Other").isOn(object)).toBe(false);
});

test.each([undefined, null, "Example", 1, {}])("is not on %j", (value) => {
  expect(new Brand("Example").isOn(value)).toBe(false);
});

test("does not show", () => {
  const object = {};
  new Brand("Example").putOn(object);
  expect(Reflect.ownKeys({ ...object })).toEqual([]);
});
