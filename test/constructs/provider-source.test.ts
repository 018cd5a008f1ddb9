import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { TerraformStack } from "cdktf";
import { SecretRef, StaticTokenRef } from "../../lib";
import { providerSources } from "../../lib/cli/provider-sources";
import { synthApp } from "../support/synth";

const CONTEXT = "cdktf-iam-tokens:providerSource";

/** Synthesizes a stack with a token, whose program has this context. */
function synthWith(source: unknown) {
  const app = synthApp(
    (its) => {
      const stack = new TerraformStack(its, "main");
      new StaticTokenRef(stack, "dns", { source: SecretRef.env("T") });
    },
    { context: { [CONTEXT]: source } },
  );
  const folder = app.stackFolder("main");
  const { terraform } = JSON.parse(readFileSync(join(folder, "cdk.tf.json"), "utf8"));
  const files = ["terraform.d", ".terraform.lock.hcl"].filter((name) =>
    existsSync(join(folder, name)),
  );
  app.remove();
  return { required: terraform.required_providers.iam.source, files };
}

test.each(["example/iam", "registry.example.com:8443/example/iam"])(
  "with %s in the context, the stack requires the provider from there, and gets no files of it",
  (source) => {
    expect(synthWith(source)).toEqual({ required: source, files: [] });
  },
);

test("the package's address is the same in upper case", () => {
  const source = "npm.invalid/cdktf-iam-tokens/iam";
  expect(synthWith("NPM.invalid/CDKTF-iam-tokens/iam")).toEqual(synthWith(source));
});

test("without it, the provider is that of the package", () => {
  const source = "npm.invalid/cdktf-iam-tokens/iam";
  const files = ["terraform.d", ".terraform.lock.hcl"];
  expect(synthWith(undefined)).toEqual({ required: source, files });
});

/** Of another provider, or none; Terraform itself judges the rest at its init. */
const WRONG = [
  ...["example", "example/iam2", "iam", "/iam", "a/b/c/iam", "ex ample/iam", "iam ", 7, ""],
  ...["x//iam", "x/iam/", "../x/iam", "x\\y/iam", "[::1]/x/iam", "https://a/x/iam"],
];

test.each(WRONG.map((source) => [JSON.stringify(source), source]))(
  "a context of %s is refused at synthesis",
  (_, source) => {
    expect(() => synthWith(source)).toThrow(
      /Allowed: OWNER\/iam or HOST\/OWNER\/iam.*ERR_PROVIDER_SOURCE_INVALID/,
    );
  },
);

test("run attaches under the package's address, and under each that is given, but no wrong one", () => {
  expect(providerSources("/nowhere", ["example/iam"])).toEqual([
    "npm.invalid/cdktf-iam-tokens/iam",
    "example/iam",
  ]);
  expect(() => providerSources("/nowhere", ["example/aim"])).toThrow("example/aim");
});
