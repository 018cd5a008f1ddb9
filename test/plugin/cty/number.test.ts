import { Decimal } from "../../../lib/plugin/cty";
import { fromDouble, fromNumberText, toWireNumber } from "../../../lib/plugin/cty/number";

test.each([
  ["0", 0],
  ["-0", 0],
  ["1.50", 1.5],
  ["15e-1", 1.5],
  [".5", 0.5],
  ["1e2", 100],
  ["120e-1", 12],
  ["9007199254740991", Number.MAX_SAFE_INTEGER],
  ["9007199254740992", 9007199254740992n],
  ["1e30", 10n ** 30n],
  ["5e-324", new Decimal("5e-324")],
])("%s is read as the one form that it has", (text, value) => {
  expect(fromNumberText(text)).toStrictEqual(value);
});

test("0.1 stays text: no double is 0.1, and Terraform sees the difference", () => {
  expect(fromNumberText("0.1")).toEqual(new Decimal("0.1"));
  expect(fromNumberText("0.1000000000000000055511151231257827021181583404541015625")).toBe(0.1);
});

test.each([
  "",
  ".",
  "e5",
  "1e",
  "0x10",
  "1_000",
  " 1",
  "NaN",
  "Infinity",
  "1e99999",
  "9".repeat(2000),
])("%p is no number", (text) => {
  expect(fromNumberText(text)).toBeUndefined();
});

test("a double that is whole and large is the integer that it holds", () => {
  expect(fromDouble(1e22)).toBe(10n ** 22n);
  expect(Object.is(fromDouble(-0), 0)).toBe(true);
});

test("integers of 64 bits go as such, larger ones as text", () => {
  expect(toWireNumber(2 ** 40)).toBe(2n ** 40n);
  expect(toWireNumber(2n ** 63n - 1n)).toBe(2n ** 63n - 1n);
  expect(toWireNumber(2n ** 63n)).toBe("9223372036854775808");
  expect(toWireNumber(1e22)).toBe("10000000000000000000000");
  expect(toWireNumber(Number.NaN)).toBeUndefined();
});
