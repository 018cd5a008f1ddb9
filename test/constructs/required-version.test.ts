import { Aspects, type TerraformStack } from "cdktf";
import { SecretRef, StaticTokenRef, TokenResolution } from "../../lib";
import { partOf, testStack } from "./support";

const withEphemeral = (stack: TerraformStack) =>
  new StaticTokenRef(stack, "t", { source: SecretRef.env("T") });
const requiredVersion = (stack: TerraformStack): unknown =>
  partOf(stack, "terraform.required_version");

test("a stack with an ephemeral token requires a Terraform that has them", () => {
  const stack = testStack();
  withEphemeral(stack);
  expect(requiredVersion(stack)).toBe(">= 1.10.0");
});

test("joins the user's own requirement, whether it was set before or after", () => {
  const before = testStack();
  before.addOverride("terraform.required_version", "~> 1.9");
  withEphemeral(before);
  const after = testStack();
  withEphemeral(after);
  after.addOverride("terraform.required_version", "~> 1.9");
  const byAspect = testStack();
  withEphemeral(byAspect);
  Aspects.of(byAspect).add({
    visit: (node) =>
      node === byAspect && byAspect.addOverride("terraform.required_version", "~> 1.9"),
  });
  for (const stack of [before, after, byAspect]) {
    stack.prepareStack();
    expect(requiredVersion(stack)).toBe("~> 1.9, >= 1.10.0");
    expect(requiredVersion(stack)).toBe("~> 1.9, >= 1.10.0");
  }
});

test("other overrides of the terraform block stay", () => {
  const stack = testStack();
  withEphemeral(stack);
  stack.addOverride("terraform.experiments", ["x"]);
  expect(partOf(stack, "terraform")).toMatchObject({
    experiments: ["x"],
    required_version: ">= 1.10.0",
  });
});

test("without an ephemeral token it adds no requirement, and leaves the user's unchanged", () => {
  const stack = testStack();
  stack.addOverride("terraform.required_version", ">= 1.5");
  new StaticTokenRef(stack, "t", {
    source: SecretRef.env("T"),
    resolution: TokenResolution.DATA,
    acceptStaticTokenInState: true,
  });
  expect(requiredVersion(stack)).toBe(">= 1.5");
});
