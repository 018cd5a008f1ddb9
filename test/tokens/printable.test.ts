import { printable, quote } from "../../lib/tokens";
import { escaped } from "../../lib/tokens/printable";

test.each([
  ["plain, é, 日本", "plain, é, 日本"],
  ["\u001b[2J", "?[2J"],
  ["a\nb\u2028c\u2029d", "a?b?c?d"],
  ["zero\u200bwidth", "zero?width"],
])("of %j is printed %j", (text, printed) => {
  expect(printable(text)).toBe(printed);
});

test.each([
  ['a "b"', '"a \\"b\\""'],
  ["é日", '"é日"'],
  ["\u001b[2J", '"\\u001b[2J"'],
  ["\u007f", '"\\u007f"'],
  ["\u200b\u2028\u2029", '"\\u200b\\u2028\\u2029"'],
])("%j is escaped as %s", (text, printed) => {
  expect(escaped(text)).toBe(printed);
});

test("a quotation is cut at 80 characters", () => {
  expect(quote("x".repeat(81))).toBe(`"${"x".repeat(80)}"`);
  expect(escaped("x".repeat(81))).toHaveLength(83);
});
