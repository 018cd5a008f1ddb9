import { resolve } from "node:path";
import { App, TerraformHclModule, TerraformStack } from "cdktf";
import { IdentityService, SecretRef } from "cdktf-iam-tokens";

const authUrl = process.env.AUTH_URL ?? "http://127.0.0.1:35357";

const app = new App();
const stack = new TerraformStack(app, "main");
const identity = new IdentityService(stack, "identity", {
  authUrl,
  accountId: "123456",
  serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
});
new TerraformHclModule(stack, "module", {
  source: resolve("module"),
  skipAssetCreationFromLocalModules: true,
  providers: [identity.provider],
  variables: { api_url: process.env.API_URL ?? `${authUrl}/echo` },
});

app.synth();
