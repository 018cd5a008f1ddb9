import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as cdktf from "cdktf";
import * as cdktn from "cdktn";
import {
  addWarnings,
  type Fragment,
  isUnderCommandLine,
  onSynthesis,
  propertiesOf,
  whenWritten,
  writtenName,
} from "../../../lib/constructs/framework/internals";
import { temporaryFolder } from "../../support/temporary-folder";

type Framework = typeof cdktf;

/**
 * What the tests of constructs, which run with both frameworks, do not prove by its effects. A
 * version that one of these fails on is one for which lib/constructs/framework has to change.
 */
describe.each([
  ["cdktf", cdktf],
  // The members that are protected make the types of one no types of the other.
  ["cdktn", cdktn as unknown as Framework],
])("undocumented behaviour of %s that the package uses:", (_name, framework) => {
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

  test("a provider has properties, which it writes under other names", () => {
    class Provider extends framework.TerraformProvider {
      protected override synthesizeAttributes() {
        return { "X-Auth-Token": undefined, KUBE_TOKEN: { xToken: "b" } };
      }
    }
    const stack = stackIn();
    const type = { terraformResourceType: "any" };
    const provider = new Provider(stack, "provider", type);
    expect(propertiesOf(provider)).toEqual({ KUBE_TOKEN: { xToken: "b" } });
    const { provider: written } = provider.toTerraform();
    expect(written.any).toEqual([
      { [writtenName("KUBE_TOKEN")]: { [writtenName("xToken")]: "b" } },
    ]);
  });

  test("a warning of a stack that is being written gets into the manifest", () => {
    const app = new App({ outdir: temporaryFolder() });
    const stack = stackIn(app);
    let collected: Parameters<typeof addWarnings>[0] = [];
    onSynthesis(stack, ({ manifest }) => {
      framework.Annotations.of(stack).addWarning("before");
      whenWritten(stack, pass(manifest.forStack(stack)), () => {
        throw new Error("as HCL");
      });
    });
    const pass = (of: { annotations: typeof collected }) => (write: () => Fragment) => {
      collected = of.annotations;
      framework.Annotations.of(stack).addWarning("while");
      addWarnings(collected, stack);
      return write();
    };
    app.synth();
    const { stacks } = JSON.parse(readFileSync(join(app.outdir, "manifest.json"), "utf8"));
    expect(stacks.a.annotations.map(({ message }: { message: string }) => message)).toEqual([
      "before",
      "while",
    ]);
  });
});
