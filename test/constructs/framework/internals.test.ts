import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as cdktf from "cdktf";
import * as cdktn from "cdktn";
import {
  hclAttribute,
  isUnderCommandLine,
  libraryOf,
  onSynthesis,
} from "../../../lib/constructs/framework/internals";
import { temporaryFolder } from "../../support/temporary-folder";

type Framework = typeof cdktf;

const RTTI = Symbol.for("jsii.rtti");

/**
 * What the tests of constructs, which run with both frameworks, do not prove by its effects. A
 * version that one of these fails on is one for which lib/constructs/framework has to change.
 */
describe.each([
  ["cdktf", cdktf],
  // The members that are protected make the types of one no types of the other.
  ["cdktn", cdktn as unknown as Framework],
])("undocumented behaviour of %s that the package uses:", (name, framework) => {
  const { App, TerraformStack } = framework;
  const stackIn = (app = new App({ outdir: temporaryFolder() })) => new TerraformStack(app, "a");

  test("a construct is called after the validations, and before the stack is written", () => {
    const app = new App({ outdir: temporaryFolder() });
    const stack = stackIn(app);
    const called: string[] = [];
    const written = join(app.outdir, "stacks/a/cdk.tf.json");
    stack.node.addValidation({
      validate: () => {
        called.push("validated");
        return [];
      },
    });
    onSynthesis(stack, ({ outdir, manifest }) => {
      expect(join(outdir, manifest.forStack(stack).workingDirectory)).toBe(join(written, ".."));
      called.push(existsSync(written) ? "late" : "in time");
    });
    app.synth();
    expect(called).toEqual(["validated", "in time"]);
    expect(existsSync(written)).toBe(true);
  });

  test("the command line's environment is read", () => {
    expect(isUnderCommandLine()).toBe(false);
    process.env.CDKTF_CONTEXT_JSON = '{"of":"the command line"}';
    try {
      const app = new App();
      expect([app.node.tryGetContext("of"), isUnderCommandLine()]).toEqual([
        "the command line",
        true,
      ]);
    } finally {
      delete process.env.CDKTF_CONTEXT_JSON;
    }
  });

  test.each<[unknown, string]>([
    ["0123", 'it = "0123"'],
    [true, "it = true"],
    [["01", "2"], 'it = [\n"01",\n"2"\n]'],
    [{ "a b": "01" }, 'it = {\n"a b" = "01"\n}'],
  ])("the HCL writer takes the value %j", (value, written) => {
    class Block extends framework.TerraformResource {
      protected override synthesizeHclAttributes() {
        return { it: hclAttribute(value) };
      }
    }
    const stack = stackIn();
    new Block(stack, "block", { terraformResourceType: "block" });
    expect(framework.Testing.synthHcl(stack)).toContain(written);
  });

  test("each class says what library it is of, also to one that extends it", () => {
    const manifest = require.resolve(`${name}/package.json`);
    const { version } = JSON.parse(readFileSync(manifest, "utf8"));
    class Own extends App {}
    class Compiled extends Own {
      static readonly [RTTI] = { fqn: "other.Compiled", version: "1.0.0" };
    }
    for (const type of [App, Own, Compiled, TerraformStack])
      expect(libraryOf(type, ["cdktf", "cdktn"])).toEqual({ name, version });
    expect(libraryOf(class {}, ["cdktf", "cdktn"])).toBeUndefined();
  });
});
