import fc from "fast-check";
import { fromHcl } from "../../lib/cli/doctor/terraform-json";
import { type HclBody, parseHcl } from "../../lib/hcl/body";

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
  );
});

test("a long text takes no longer a piece than a short one", () => {
  for (const piece of ["a = 1\n", "/*", "(", '"${', "<<A\n", "a.b.", "[1],", "a = <<E\nE\n", "%"])
    parseHcl(piece.repeat(50_000));
}, 10_000);
