import { Lazy, TerraformStack, Token } from "cdktf";
import { LeafReader } from "../../../lib/constructs/survey/leaves";
import { AnyResource, testApp, testStack } from "../support";

const NUMBER = Token.asNumber(Lazy.numberValue({ produce: () => 7 }));
const TEXT = Token.asString(Lazy.anyValue({ produce: () => "${var.x}" }));

test.each<{ what: string; value: unknown; leaves: readonly (readonly [string, string])[] }>([
  {
    what: "templates, wherever they stand",
    value: { a: [{ b: "${var.x}" }], c: { d: "%{ if true }x%{ endif }" } },
    leaves: [
      ["a 0 b", "${var.x}"],
      ["c d", "%{ if true }x%{ endif }"],
    ],
  },
  {
    what: "nothing of literals",
    value: { a: "x", b: "{x}", c: 7, d: true, e: null, f: undefined, g: [null, 7, "$x"] },
    leaves: [],
  },
  { what: "nothing of comments", value: { "//": { a: "${var.x}", b: "${var.x}" } }, leaves: [] },
  {
    what: "a resolved string, template or not",
    value: { a: TEXT, b: [TEXT], c: Lazy.anyValue({ produce: () => ({ d: "x" }) }) },
    leaves: [
      ["a", "${var.x}"],
      ["b 0", "${var.x}"],
      ["c d", "x"],
    ],
  },
  {
    what: "nothing of a null, a number and a switch in what is resolved",
    value: Lazy.anyValue({ produce: () => ({ a: null, b: [null, 7], c: true, d: "x" }) }),
    leaves: [["d", "x"]],
  },
  { what: "nothing of a number that is resolved", value: { a: NUMBER, b: [NUMBER] }, leaves: [] },
  {
    what: "a key that must be resolved, next to one that need not",
    value: { a: { plain: "x", [TEXT]: "y" } },
    leaves: [
      ["a plain", "x"],
      ["a ${var.x}", "${var.x}"],
      ["a ${var.x}", "y"],
    ],
  },
])("a reader of leaves finds $what", ({ value, leaves }) => {
  const found = new LeafReader(testStack()).read(value);
  expect(found.map(({ path, text }) => [path.join(" "), text])).toEqual(leaves);
});

test("reading a reference to another stack makes the stack depend on nothing", () => {
  const app = testApp();
  const [a, b] = [new TerraformStack(app, "a"), new TerraformStack(app, "b")];
  const { fqn } = new AnyResource(a, "r", {});
  expect(new LeafReader(b).read({ text: fqn })).toHaveLength(1);
  expect(b.dependencies).toEqual([]);
});

test("a cycle ends at a depth of 200", () => {
  const cycle: { text: string; self?: unknown } = { text: "${var.x}" };
  cycle.self = cycle;
  expect(new LeafReader(testStack()).read(cycle)).toHaveLength(200);
});
