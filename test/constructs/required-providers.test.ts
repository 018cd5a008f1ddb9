import { Lazy, TerraformHclModule, TerraformOutput, TerraformStack } from "cdktf";
import { requiredProvidersIn } from "../../lib/constructs/survey/required-providers";
import { anyPart, anyProvider, anyResource, identityIn, testStack } from "./support";

/** As the command line of CDKTF reads it. */
function rendered(stack: TerraformStack): unknown {
  const { terraform } = stack.toTerraform() as {
    terraform: { required_providers: Record<string, { version?: string }> };
  };
  return Object.fromEntries(
    Object.entries(terraform.required_providers).map(([name, { version }]) => [name, version]),
  );
}

test("completes a provider without a source as Terraform does", () => {
  const stack = testStack();
  stack.addOverride("terraform.required_providers.null.version", "3.2.4");
  stack.addOverride("terraform.required_providers.time", {});
  stack.addOverride("terraform.backend.s3.bucket", "b");
  expect(requiredProvidersIn(stack.toTerraform())).toEqual([
    { source: "registry.terraform.io/hashicorp/null", version: "3.2.4" },
    { source: "registry.terraform.io/hashicorp/time", version: undefined },
  ]);
});

test.each(["terraform", "terraform.required_providers", "terraform.required_providers.any"])(
  "an override that removes %s requires nothing",
  (path) => {
    const stack = testStack();
    stack.addOverride(path, null);
    expect(requiredProvidersIn(stack.toTerraform())).toEqual([]);
  },
);

test("finds all required providers of the rendered stack, wherever they come from", () => {
  const stack = testStack();
  identityIn(stack);
  anyProvider(stack, {});
  const version = Lazy.stringValue({ produce: () => "~> 2.0" });
  const required_providers = { other: { source: "example/other", version } };
  anyPart(stack, { terraform: { required_providers } });
  anyResource(stack, "r", {});
  new TerraformOutput(stack, "o", { value: 1 });
  new TerraformHclModule(stack, "m", { source: "example/m/any" });
  stack.addOverride("terraform.required_providers.added", {
    source: "example/added",
    version: "1.0.0",
  });
  stack.addOverride("terraform.required_providers.any.version", "9.9.9");
  const inner = new TerraformStack(stack, "inner");
  inner.addOverride("terraform.required_providers.inner", { source: "example/inner" });
  anyPart(inner, { terraform: { required_providers: { deep: {} } } });

  const found = requiredProvidersIn(stack.toTerraform());

  expect(
    Object.fromEntries(found.map(({ source, version }) => [source.split("/").at(-1), version])),
  ).toEqual(rendered(stack));
  expect(found.map(({ source }) => source).sort()).toEqual([
    "npm.invalid/cdktf-iam-tokens/iam",
    "registry.terraform.io/example/added",
    "registry.terraform.io/example/any",
    "registry.terraform.io/example/other",
  ]);
});
