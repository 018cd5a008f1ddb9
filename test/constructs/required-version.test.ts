import { Aspects, type TerraformStack } from "cdktf";
import { SecretRef, StaticTokenRef, TokenResolution } from "../../lib";
import { partOf, testStack } from "./support";

const tokenIn = (stack: TerraformStack, props: object = {}) =>
  new StaticTokenRef(stack, "t", { source: SecretRef.env("T"), ...props });

const override = (stack: TerraformStack) =>
  stack.addOverride("terraform", { required_version: "~> 1.9", experiments: ["x"] });

const OWN = { required_version: "~> 1.9", experiments: ["x"] };

test.each<[what: string, declare: (stack: TerraformStack) => unknown, terraform: object]>([
  ["of a stack with an ephemeral token", tokenIn, { required_version: ">= 1.10.0" }],
  ["set before", (stack) => [override(stack), tokenIn(stack)], OWN],
  ["set after", (stack) => [tokenIn(stack), override(stack)], OWN],
  [
    "set last, by an aspect",
    (stack) => {
      tokenIn(stack);
      Aspects.of(stack).add({ visit: (node) => node === stack && override(stack) });
    },
    OWN,
  ],
  [
    "that is no string, which Terraform refuses",
    (stack) => [tokenIn(stack), stack.addOverride("terraform.required_version", ["= 1.11.4"])],
    { required_version: ["= 1.11.4"] },
  ],
  [
    "without an ephemeral token",
    (stack) => {
      override(stack);
      tokenIn(stack, { resolution: TokenResolution.data(), allowInState: true });
    },
    { required_version: "~> 1.9" },
  ],
])("the version of Terraform %s", (_what, declare, terraform) => {
  const stack = testStack();
  declare(stack);
  stack.prepareStack();
  // Each rendering gives the same.
  for (let times = 0; times < 2; times++)
    expect(partOf(stack, "terraform")).toMatchObject(terraform);
});
