import { TerraformOutput, Testing } from "cdktf";
import { SecretRef } from "cdktf-iam-tokens";
import { MyStack } from "./my-stack";

// In this folder: in a random one, the way to a relative SecretRef.file would always differ.
const app = () => Testing.app({ outdir: "cdktf.out" });
const options = {
  authUrl: "https://cloud.api.example.com",
  serviceUser: { name: "deployer", password: SecretRef.file("secrets/password") },
};

test("my stack gets an ephemeral token of its project", () => {
  const json = Testing.synth(new MyStack(app(), "my-stack", options), true);
  expect(Testing.toHaveProviderWithProperties(json, "iam", { account_id: "123456" })).toBe(true);
  const [provider] = JSON.parse(json).provider.iam;
  expect(provider.password_file).toMatch(/\}\/\.\.\/\.\.\/\.\.\/secrets\/password$/);
  // cdktf has no matcher for ephemeral blocks.
  expect(JSON.parse(json).ephemeral.iam_token.web).toMatchObject({ project_name: "web" });
});

test("a mistake is found by Testing.synth", () => {
  const stack = new MyStack(app(), "my-stack", options);
  new TerraformOutput(stack, "token", { value: stack.web.value });
  expect(() => Testing.synth(stack)).toThrow("ERR_EPHEMERAL_OUTPUT");
});
