import fc from "fast-check";
import { fromHcl } from "../../lib/cli/doctor/terraform-json";
import { type HclBody, parseHcl } from "../../lib/hcl/body";
import { fuzz } from "../support/fuzz";

const attributes = (body: HclBody | undefined) => Object.fromEntries(body?.attributes ?? []);

test("blocks, labels and literal values are read", () => {
  expect(
    fromHcl(`
terraform {
  required_providers {
    iam = { source = "npm.invalid/cdktf-iam-tokens/iam", version = "1.2.3" }
    aws = {
      source : "hashicorp/aws" # a comment
    }
  }
}
provider "iam" {
  alias         = "prod"
  password_file = "\${path.root}/x"
}
provider "iam" {}
ephemeral "iam_token" "web" {
  provider     = iam.prod
  destinations = ["https://a.example", "https://b.example",]
}
`),
  ).toEqual({
    terraform: [
      {
        required_providers: [
          {
            iam: { source: "npm.invalid/cdktf-iam-tokens/iam", version: "1.2.3" },
            aws: { source: "hashicorp/aws" },
          },
        ],
      },
    ],
    provider: { iam: [{ alias: "prod", password_file: "${path.root}/x" }, {}] },
    ephemeral: {
      iam_token: {
        web: [
          { provider: "${iam.prod}", destinations: ["https://a.example", "https://b.example"] },
        ],
      },
    },
  });
});

test("comments, texts, templates and here documents hide what looks like a block", () => {
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
  ["}"],
  ["a = ]"],
])("%j is no HCL", (text) => {
  expect(parseHcl(text)).toBeUndefined();
});

test("what is nested without end is no HCL, and ends no process", () => {
  expect(parseHcl("a {".repeat(100_000))).toBeUndefined();
  expect(parseHcl(`a = ${"{ b = ".repeat(100_000)}`)).toBeUndefined();
  expect(parseHcl(`a = ${'"${'.repeat(100_000)}`)).toBeUndefined();
});

test("names like __proto__ are names", () => {
  expect(Object.keys(fromHcl("__proto__ {\n a = 1\n}\n") ?? {})).toEqual(["__proto__"]);
  expect(({} as { a?: unknown }).a).toBeUndefined();
});

test("any text is read or refused", () => {
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
      // What is put around a text that is read does not change it.
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

test("what HCL's own parser reads is read, with the same names in it", async () => {
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
  let read = 0;
  await fc.assert(
    fc.asyncProperty(fc.oneof(body, broken), async (given) => {
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
  expect(read).toBeGreaterThan(25);
});

test("a long text takes no longer a piece than a short one", () => {
  for (const piece of ["a = 1\n", "/*", "(", '"${', "<<A\n", "a.b.", "[1],", "a = <<E\nE\n", "%"])
    parseHcl(piece.repeat(50_000));
}, 10_000);
