import fc from "fast-check";
import { type HclBody, parseHcl } from "../../lib/hcl/body";
import { fuzz } from "../support/fuzz";

const attributes = (body: HclBody | undefined) => Object.fromEntries(body?.attributes ?? []);

test("blocks, labels and literal values are read", () => {
  const body = parseHcl(`
provider "iam" {
  alias         = "prod"
  password_file = "\${path.root}/x"
}
provider "iam" {}
ephemeral "iam_token" "web" {
  provider     = iam.prod # a comment
  destinations = ["https://a.example", "https://b.example",]
}
`);
  expect(body?.blocks.map(({ type, labels, body }) => [type, ...labels, attributes(body)])).toEqual(
    [
      ["provider", "iam", { alias: "prod", password_file: "${path.root}/x" }],
      ["provider", "iam", {}],
      [
        "ephemeral",
        "iam_token",
        "web",
        {
          provider: { expression: "iam.prod" },
          destinations: ["https://a.example", "https://b.example"],
        },
      ],
    ],
  );
});

test("ignores apparent blocks in comments, strings, templates and here documents", () => {
  const body = parseHcl(`
# a { b = 1
// c {
/* d {
*/
e = "f { \\" \${ g("}") } $\${ h"
i = <<-EOT
  j { k
  EOT
l = [for m, n in o : { p = n } if n != "}"]
q = { for r in s : r => { t = r } }
u "v" { w = "x" }
`);
  expect(body?.blocks.map(({ type, labels }) => [type, ...labels])).toEqual([["u", "v"]]);
  expect(Object.keys(attributes(body))).toEqual(["e", "i", "l", "q"]);
});

test.each([
  ["{"],
  ["a {"],
  ["a }"],
  ['a = "'],
  ['a = "\n"'],
  ["a = <<X\n"],
  ["a = (]"],
  ["a b c"],
  ["a b = 1"],
  ['a "b" = 1'],
  ["a ="],
  ["a =\nb = 1"],
  ["a = 1, b ="],
  ["a + 1"],
  ["= 1"],
  ["{ }"],
  ["a [ ]"],
  ["a ( b )"],
  ["a {\nb c\n}"],
  ["}"],
  ["a = ]"],
])("%j is not HCL", (text) => {
  expect(parseHcl(text)).toBeUndefined();
});

test.each<{ value: string; read: unknown }>([
  { value: '"x"', read: "x" },
  { value: '"a \\"b\\" \\u00e9\\n"', read: 'a "b" é\n' },
  { value: '"${var.a}"', read: "${var.a}" },
  // No escape of JSON's: as it is written.
  { value: '"\\q"', read: "\\q" },
  { value: "[]", read: [] },
  { value: '["x", "y"]', read: ["x", "y"] },
  { value: '[",", "="]', read: [",", "="] },
  { value: '[\n"x",\n"y",\n]', read: ["x", "y"] },
  { value: '["x", 1]', read: { expression: '["x", 1]' } },
  { value: '("x")', read: { expression: '("x")' } },
  { value: "[var.a]", read: { expression: "[var.a]" } },
  { value: '"x" == var.a', read: { expression: '"x"==var.a' } },
  { value: '["x"][0]', read: { expression: '["x"][0]' } },
  { value: "{ b = 1 }.b", read: { expression: "{ b = 1 }.b" } },
  { value: "{ for k in var.a : k => k }", read: { expression: "{ for k in var.a : k => k }" } },
  { value: "1.5", read: { expression: "1.5" } },
])("the value $value is read as $read", ({ value, read }) => {
  expect(parseHcl(`a = ${value}`)?.attributes.get("a")).toEqual(read);
});

test("a table is an object, by names, strings and numbers", () => {
  const table = parseHcl('a = { b = "1", "c" : "2"\n 3 = "x" }')?.attributes.get("a") as HclBody;
  expect([...table.attributes]).toEqual([
    ["b", "1"],
    ["c", "2"],
    ["3", "x"],
  ]);
  expect(parseHcl('a "b" 3 c {}')?.blocks[0]?.labels).toEqual(["b", "3", "c"]);
});

test("refuses endless nesting as HCL, and does not crash", () => {
  expect(parseHcl("a {".repeat(100_000))).toBeUndefined();
  expect(parseHcl(`a = ${"{ b = ".repeat(100_000)}`)).toBeUndefined();
  expect(parseHcl(`a = ${'"${'.repeat(100_000)}`)).toBeUndefined();
});

test("reads or refuses any string", () => {
  const pieces = fc.constantFrom(
    "a",
    "b ",
    " = ",
    '"',
    "{",
    "}",
    "[",
    "]",
    "\n",
    "${",
    "#",
    "/*",
    "*/",
    "<<E\n",
    "E\n",
    ",",
    "\\",
    "1",
    ":",
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
      const text = parts.join("");
      const body = parseHcl(text);
      // A block around a body that can be read does not change it.
      if (body !== undefined && !text.includes("<<"))
        expect(parseHcl(`x {\n${text}\n}`)?.blocks).toEqual([{ type: "x", labels: [], body }]);
    }),
    fuzz(),
  );
});

/** HCL's own parser. */
const { parse } = jest.requireActual<{
  parse(file: string, text: string): Promise<Readonly<Record<string, unknown>>>;
}>("@cdktf/hcl2json");

test("reads everything that HCL's own parser reads, with the same names", async () => {
  const name = fc.constantFrom("a", "b-1", "_c", "é", "for", "null", "if");
  const text = fc.constantFrom(
    "",
    "x",
    "${var.a}",
    "$${b}",
    "%{ if a }b%{ else }c%{ endif }",
    '\\"',
    "\\u00e9",
    "{",
    "#",
    "/*",
    "$",
    "%",
    '${a["}"]}',
    "~",
    "é",
  );
  const quoted = fc.array(text, { maxLength: 3 }).map((texts) => `"${texts.join("")}"`);
  const { value } = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.oneof(
        quoted,
        fc.constantFrom("1", "-1.5e3", "true", "null", "a.b[0].*.c", "a[*].b", "!a", "a.0", "(a)"),
        fc.constantFrom("<<E\n x }\nE\n", "<<-E-1\n  ${a}\n  E-1\n", "a::b(1)", "f(a...)"),
      ),
      fc.array(tie("value"), { maxLength: 3 }).map((all) => `[${all.join(",\n")}]`),
      fc
        .array(fc.tuple(name, fc.constantFrom("=", ":", " =\n"), tie("value")), { maxLength: 3 })
        .map((all) => `{\n${all.map((each) => each.join(" ")).join("\n")}\n}`),
      tie("value").map((inner) => `f(${inner}, [for k, v in ${inner} : v if k != "x"])`),
      tie("value").map((inner) => `{for k, v in ${inner} : k => v...}`),
      fc.tuple(tie("value"), tie("value")).map(([one, other]) => `${one} == 1 ? ${other} : 0`),
    ),
  }));
  const { body } = fc.letrec<{ body: string }>((tie) => ({
    body: fc
      .array(
        fc.oneof(
          { maxDepth: 3 },
          { weight: 3, arbitrary: fc.tuple(name, value).map((each) => `${each.join(" = ")}\n`) },
          fc.constantFrom("# {\n", "// }\n", "/* { */", "\n", "\r\n", "\t"),
          fc
            .tuple(name, fc.array(fc.oneof(name, quoted), { maxLength: 2 }), tie("body"))
            .map(([type, labels, inner]) => `${[type, ...labels].join(" ")} {\n${inner}}\n`),
        ),
        { maxLength: 4 },
      )
      .map((parts) => parts.join("")),
  }));
  const broken = fc.tuple(body, fc.nat(), fc.constantFrom("", " ", "\n", '"', "}", "=", "a", "{}"));
  let [tried, read] = [0, 0];
  await fc.assert(
    fc.asyncProperty(fc.oneof(body, broken), async (given) => {
      tried++;
      const [written, place, more] = typeof given === "string" ? [given, 0, ""] : given;
      const at = place % (written.length + 1);
      const source = written.slice(0, at) + more + written.slice(at);
      const theirs = await parse("a.tf", source).catch(() => undefined);
      if (theirs === undefined) return;
      read++;
      const ours = parseHcl(source);
      const names = [
        ...(ours?.attributes.keys() ?? []),
        ...(ours?.blocks ?? []).map(({ type }) => type),
      ];
      expect(new Set(names)).toEqual(new Set(Object.keys(theirs)));
    }),
    fuzz(200),
  );
  expect(read).toBeGreaterThan(tried / 8);
});
