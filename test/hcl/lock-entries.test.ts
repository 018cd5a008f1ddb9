import { lockEntriesIn } from "../../lib/hcl/lock-entries";

const FIRST = 'provider "a/b/c" {\n  version = "1.0.0"\n  # }\n  hashes = ["}"]\n}';
const SECOND = 'provider "d/e/f" {\r\n  version = "1.0.0"\r\n}';

test("finds the blocks and their places", () => {
  const text = `# provider "x" {\n${FIRST}\n\n${SECOND}\r\n# end`;
  const entries = lockEntriesIn(text) ?? [];
  expect(entries.map(({ source }) => source)).toEqual(["a/b/c", "d/e/f"]);
  expect(entries.map(({ text }) => text)).toEqual([FIRST, SECOND]);
  expect(entries.map(({ start, end }) => text.slice(start, end))).toEqual([FIRST, SECOND]);
});

test.each(["", "\n \r\n", "# only a comment"])("%j has none", (text) =>
  expect(lockEntriesIn(text)).toEqual([]),
);

test.each([
  'provider "a" {',
  "<<<<<<< HEAD\n",
  `${FIRST}\n=======\n`,
  `provider "a" {\n${FIRST}\n`,
  '/* open\nprovider "a" {\n}',
  "terraform {\n}",
  'provider "a" {}',
  'provider "" {\n}',
])("%j is not as Terraform writes it", (text) => expect(lockEntriesIn(text)).toBeUndefined());

test("an entry with very many empty lines is found in linear time", () => {
  const text = `provider "a" {\n${"\n".repeat(300_000)}}\n`;
  expect(lockEntriesIn(text)).toHaveLength(1);
});
