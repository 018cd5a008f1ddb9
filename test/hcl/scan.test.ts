import fc from "fast-check";
import { type Piece, scanHcl } from "../../lib/hcl/scan";

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
])("%s", (text, pieces) => expect(short(scanHcl(text))).toEqual(pieces));

test.each(["/* a", '"a', '"a\nb"', '"${a"', '"${"', '"\\', "<<E\na", "(]", "{", "}", '"${a}}" }'])(
  "%j is no HCL",
  (text) => expect(scanHcl(text)).toBeUndefined(),
);

test("brackets and templates may stand in each other a hundred times, and not without an end", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  expect(scanHcl(nested(100))).toBeDefined();
  expect(scanHcl(nested(101))).toBeUndefined();
  expect(scanHcl('"${'.repeat(100_000))).toBeUndefined();
});

test("each piece stands at its place, one behind the other, and blanks alone are between them", () => {
  const part = fc.constantFrom(
    "a.b",
    " ",
    "\n",
    '"x${',
    '"s"',
    "}",
    '"',
    "{",
    "(",
    ")",
    "# c\n",
    "==",
    "1",
    "/* d */",
    "<<E\nE\n",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const text = parts.join("");
      let at = 0;
      for (const { start, end } of scanHcl(text) ?? []) {
        expect(text.slice(at, start).replace(/#[^\n]*|\/\*[\s\S]*?\*\/|[^\S\n]/g, "")).toBe("");
        expect(end).toBeGreaterThan(start);
        at = end;
      }
    }),
  );
});
