import { existsSync } from "node:fs";
import { join } from "node:path";
import * as cdktf from "cdktf";
import * as cdktn from "cdktn";
import {
  configurationOf,
  isUnderCommandLine,
  onSynthesis,
  propertiesOf,
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

  test("a stack's configuration is what the framework writes", () => {
    const stack = stackIn();
    const lazy = framework.Lazy.anyValue({ produce: () => ({ c: undefined, d: [stack.node.id] }) });
    class Part extends framework.TerraformElement {
      override toTerraform() {
        return { locals: { list: [1, undefined, "b"], none: undefined, lazy, null: null } };
      }
    }
    new Part(stack, "part");
    new Part(stack, "same");
    const local = new framework.TerraformLocal(stack, "local", ["x"]);
    new framework.TerraformLocal(stack, "first", framework.Fn.element(local.asList, 0));
    const written = () => {
      const { "//": _, ...written } = JSON.parse(JSON.stringify(stack.toTerraform()));
      return written;
    };
    expect(configurationOf(stack)).toEqual(written());
    stack.addOverride("locals.list", ["c"]);
    stack.addOverride("locals.lazy", { d: { "0": framework.Token.asString(local.expression) } });
    stack.addOverride("locals.null", undefined);
    expect(configurationOf(stack)).toEqual(written());
  });
});
