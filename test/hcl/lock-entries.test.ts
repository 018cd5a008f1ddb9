import { lockEntriesIn } from "../../lib/hcl/lock-entries";

const sources = (text: string) => lockEntriesIn(text)?.map(({ source }) => source);

test("finds the blocks and their places", () => {
  const text =
    '# head\nprovider "a/b/c" {\n  version = "1.0.0"\n}\nprovider "d/e/f" { hashes = [] }\n';
  const entries = lockEntriesIn(text);
  expect(entries?.map(({ start, end }) => text.slice(start, end))).toEqual([
    'provider "a/b/c" {\n  version = "1.0.0"\n}',
    'provider "d/e/f" { hashes = [] }',
  ]);
});

test("ignores blocks in comments and strings", () => {
  expect(
    sources(
      '/* provider "a/b/c" {\n} */\n# provider "d" {\n// provider "e" {\nprovider "x" {\n  # }\n  hashes = ["}", "\\"}"]\n  /* } */\n}',
    ),
  ).toEqual(["x"]);
});

test.each(["", "\n\n", "# only a comment"])("%j has none", (text) =>
  expect(sources(text)).toEqual([]),
);

test.each([
  'provider "a" {',
  "<<<<<<< HEAD\n",
  'provider "a" {\n  version = "1',
  "provider a {}",
  '/* open\nprovider "a" {}',
  "terraform {}",
  'resource "a" {}',
  "provider",
  'provider "a"',
  'provider "a" []',
  'provider "a" "b"',
  'provider\n"a" {}',
  '"provider" "a" {}',
  'provider "a" {} x',
])("%j is not as Terraform writes it", (text) => expect(lockEntriesIn(text)).toBeUndefined());
