import fc from "fast-check";
import { abridged, IamTokensError, printable, printableJson, quote } from "../../lib/tokens";
import { anyCharacter, fuzz } from "../support/fuzz";

test.each([
  ["plain, é, 日本", "plain, é, 日本", '"plain, é, 日本"'],
  ['a "b"', 'a "b"', '"a \\"b\\""'],
  ["\u001b[2J\u007f", "?[2J?", '"\\u001b[2J\\u007f"'],
  ["a\nb\u2028c\u2029d\u200b", "a?b?c?d?", '"a\\nb\\u2028c\\u2029d\\u200b"'],
  ["\u009b2J\u202ex\u{e0001}", "?2J?x?", '"\\u009b2J\\u202ex\\udb40\\udc01"'],
])("%j is printed as %s, and escaped as %s", (text, printed, inQuotes) => {
  expect([printable(text), quote(text, "path")]).toEqual([printed, inQuotes]);
  // As lines, it may have breaks; in JSON, it means the same.
  expect(printable(text, "lines")).toBe(text.includes("\n") ? "a\nb?c?d?" : printed);
  expect(printableJson({ text }, 2)).toBe(`{\n  "text": ${inQuotes}\n}`);
  expect(JSON.parse(printableJson(text))).toBe(text);
  expect(new IamTokensError("ERR_USAGE", `${text}.`).message).not.toMatch(
    /(?!\n)[\p{C}\u2028\u2029]/u,
  );
});

test("a quotation is cut at 80 characters, a path at 1,024", () => {
  expect(quote("x".repeat(80))).toBe(`"${"x".repeat(80)}"`);
  expect(quote("x".repeat(81))).toBe(`"${"x".repeat(80)}…"`);
  expect(quote("x".repeat(1_024), "path")).toHaveLength(1_026);
  expect(quote("x".repeat(5_000_000), "path")).toBe(`"${"x".repeat(1_024)}…"`);
  expect(abridged("abcdef", 4)).toBe("ab…ef");
});

/** What a CI system obeys, as its documentation says: at the beginning of a line, or anywhere. */
const OBEYED: readonly RegExp[] = [
  // GitHub's, of which the runner ignores blanks before it.
  /^\s*::[a-z][\w-]*.*::/im,
  /##\[/,
  /##vso\[/i,
  /##teamcity\[/i,
  /section_(?:start|end):\d+:/i,
  /travis_(?:fold|time):/i,
  /^\s*(?:---|\+\+\+|~~~|\^\^\^)(?:\s|$)/m,
];

describe("no CI system obeys a text", () => {
  test.each([
    "::stop-commands::x",
    " ::add-mask::x",
    "::set-output name=x::y",
    "##[error]x",
    "##vso[task.setvariable variable=x]y",
    "##teamcity[buildStatus text='x']",
    "section_start:1560896352:x",
    "travis_fold:start:x",
    "--- x",
    "+++",
    "~~~ x",
    "^^^ +++",
  ])("%j", (command) => {
    expect(OBEYED.some((pattern) => pattern.test(command))).toBe(true);
    for (const print of [printable, quote])
      for (const pattern of OBEYED) expect(print(command)).not.toMatch(pattern);
    expect(JSON.parse(quote(command))).toBe(command);
    expect(printable(printable(command))).toBe(printable(command));
  });

  const PIECES = ["::", ":", "#", "##", "[", "-", "--", "+", "~", "^", "_", "section", "start"];
  const anyText = fc
    .array(
      fc.oneof(
        fc.constantFrom(...PIECES, "add-mask", "vso[", "teamcity[", "fold:", "travis", " ", "1:x"),
        anyCharacter,
      ),
      { maxLength: 40 },
    )
    .map((parts) => parts.join(""));

  test("however its lines are wrapped", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 60 }), (value, width) => {
        for (const text of [
          printable(`The name ${value} is wrong.`),
          `The name ${quote(value)}.`,
        ]) {
          const hard = (text.match(new RegExp(`.{1,${width}}`, "gsu")) ?? []).join("\n");
          for (const wrapped of [text, text.replaceAll(/\s+/g, "\n"), hard])
            for (const pattern of OBEYED) expect(wrapped).not.toMatch(pattern);
        }
      }),
      fuzz(500),
    );
  });

  test.each(["https://[::1]:5000/v3", "--json", "## Title", "a: b", "a_b", "{1:2}", "C++"])(
    "and %j stays as it is",
    (text) => {
      expect(printable(text)).toBe(text);
    },
  );
});
