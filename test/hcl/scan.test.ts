import fc from "fast-check";
import { type Piece, scanHcl } from "../../lib/hcl/scan";
import { fuzz } from "../support/fuzz";
import { part } from "./parts";

/** The pieces in short: names and the like as they are, groups and templates as lists. */
function short(pieces: readonly Piece[] | undefined): unknown {
  return pieces?.map((piece) => {
    if (piece.kind === "group") return [piece.open, short(piece.inner)];
    if (piece.kind !== "string") return "text" in piece ? piece.text : piece.kind;
    return { parts: piece.parts.map((part) => (typeof part === "string" ? part : short(part))) };
  });
}

test.each<[string, unknown]>([
  ["a.b.*.c = 1.5e3", ["a.b.*.c", "=", "1.5e3"]],
  [
    'core::lookup(a, "b")[0].c',
    ["core::lookup", ["(", ["a", ",", { parts: ["b"] }]], ["[", ["0"]], ".c"],
  ],
  ["a >= b && !c => d", ["a", ">=", "b", "&&", "!", "c", "=>", "d"]],
  ["a # b\n// c\n/* } */ d", ["a", "newline", "newline", "d"]],
  ["<<-EOT\n  a }\n  EOT\nb", ["heredoc", "newline", "b"]],
  ['"a${b["c${d}"]}e"', [{ parts: ["a", ["b", ["[", [{ parts: ["c", ["d"]] }]]], "e"] }]],
  ['"%{ if a }b%{ endif }"', [{ parts: [["if", "a"], "b", ["endif"]] }]],
  ['"${~ a ~}"', [{ parts: [["a", "~"]] }]],
  ['"$${a} %%{b} 100% $ \\" \\u0041"', [{ parts: ['$${a} %%{b} 100% $ " 1'] }]],
  ['""', [{ parts: [] }]],
  ["a\r\n\t\u00a0b", ["a", "newline", "b"]],
  ["a#\n#b\n//\n/**/c", ["a", "newline", "newline", "newline", "c"]],
  ["1.25 12.5e10 0", ["1.25", "12.5e10", "0"]],
  ["1 1.5 1e5 1E+5 1.5e-5 1.", ["1", "1.5", "1e5", "1E+5", "1.5e-5", "1", "."]],
  ["é-1 _a a1 a.0.b a.*", ["é-1", "_a", "a1", "a.0.b", "a.*"]],
  ["== != <= >= => && || < > = ! . +", "== != <= >= => && || < > = ! . +".split(" ")],
  ["a::b::c.d", ["a::b::c.d"]],
  ["[0].a.b", [["[", ["0"]], ".a.b"]],
  ["<<E-1 \r\n x\n E-1 \r\na", ["heredoc", "newline", "a"]],
  ["<<E \t\nx\nE\na", ["heredoc", "newline", "a"]],
  ["<<E\nEE\nxE\nE\n", ["heredoc", "newline"]],
  [
    "{ a }(b)",
    [
      ["{", ["a"]],
      ["(", ["b"]],
    ],
  ],
  ['"\\u00e9\\t%%{a}$"', [{ parts: ["9t%%{a}$"] }]],
  ['"a%{~ b ~}c"', [{ parts: ["a", ["b", "~"], "c"] }]],
])("%s", (text, pieces) => expect(short(scanHcl(text))).toEqual(pieces));

test.each([
  "<<E\n",
  "[)",
  '"${a)"',
  '"\\',
  '"a\\\n"',
  "/* a",
  '"a',
  '"a\nb"',
  '"${a"',
  '"${"',
  "<<E\na",
  "(]",
  "{",
  "}",
  '"${a}}" }',
])("%j is not HCL", (text) => expect(scanHcl(text)).toBeUndefined());

test("brackets and templates may be nested a hundred times, but not endlessly", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  expect(scanHcl(nested(100))).toBeDefined();
  expect(scanHcl(nested(101))).toBeUndefined();
  expect(scanHcl('"${'.repeat(100_000))).toBeUndefined();
});

test("pieces follow each other in order, in groups as well, with only blanks between them", () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const text = parts.join("");
      const pieces = scanHcl(text);
      if (pieces !== undefined) expectCovered(pieces, text, 0, text.length);
    }),
    fuzz(3000),
  );
});

function expectCovered(pieces: readonly Piece[], text: string, from: number, to: number): void {
  const blanks = /#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[^\S\n]/g;
  let at = from;
  for (const piece of pieces) {
    const { start, end } = piece;
    expect(text.slice(at, start).replace(blanks, "")).toBe("");
    expect(end).toBeGreaterThan(start);
    const written = text.slice(start, end);
    if (piece.kind === "newline") expect(written).toBe("\n");
    else if (piece.kind === "string") expect(`"${piece.text}"`).toBe(written);
    else if (piece.kind === "group") {
      expect(["()", "[]", "{}"]).toContain(piece.open + written.slice(-1));
      expect(written.startsWith(piece.open)).toBe(true);
      expectCovered(piece.inner, text, start + 1, end - 1);
    } else if ("text" in piece) expect(piece.text).toBe(written);
    at = end;
  }
  expect(text.slice(at, to).replace(blanks, "")).toBe("");
}
