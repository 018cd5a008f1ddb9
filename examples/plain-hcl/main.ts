/**
 * A module in plain HCL, by itself and in a CDK stack: `node --import tsx
 * examples/plain-hcl/main.ts`.
 */
import { cpSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { App, TerraformHclModule, TerraformStack } from "cdktf";
import { IdentityService, SecretRef } from "cdktf-iam-tokens";
import { playExample, showCalls } from "../demo/example";

const MODULE = resolve(__dirname, "module");
const COMMAND = resolve(__dirname, "../../dist/cli/main.js");

/** In a CDK stack, the module is given the stack's identity service. */
function declareStack(app: App, authUrl: string, productApiUrl: string): void {
  const stack = new TerraformStack(app, "main");
  const identity = new IdentityService(stack, "identity", {
    authUrl,
    accountId: "123456",
    serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
  });
  const variables = { product_api_url: productApiUrl };
  new TerraformHclModule(stack, "module", {
    source: MODULE,
    skipAssetCreationFromLocalModules: true,
    providers: [identity.provider],
    variables,
  });
}

playExample("A module in plain HCL, by itself and in a CDK stack", async (stage) => {
  const { steps, identity, api, project, secrets } = stage;
  cpSync(MODULE, "module", { recursive: true });
  await steps.run("iam-tokens install: the provider, for plain Terraform", async () => {
    writeFileSync(
      "mirror.tfrc",
      await project.run(process.execPath, [COMMAND, "install", "mirror"]),
    );
  });
  await steps.run("terraform in the module: credentials of the environment", async () => {
    const environment = {
      TF_CLI_CONFIG_FILE: join(project.folder, "mirror.tfrc"),
      OS_AUTH_URL: identity.authUrl,
      OS_USERNAME: "deployer",
      OS_PASSWORD: secrets.SERVICE_USER_PASSWORD,
      OS_USER_DOMAIN_NAME: "123456",
      TF_VAR_product_api_url: api.url,
    };
    await project.apply("module", environment);
  });

  const app = new App();
  declareStack(app, identity.authUrl, api.url);
  app.synth();
  await steps.run("terraform in the CDK stack: it hands over its identity service", () =>
    project.apply(project.stackFolder("main")),
  );
  showCalls(stage, 2);
});
