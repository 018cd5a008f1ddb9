/**
 * Credentials of a clouds.yaml, as OpenStack's own tools read it: `node --import tsx
 * examples/clouds-yaml/main.ts`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { App, TerraformStack } from "cdktf";
import { IdentityService, ServiceUserToken, TokenScope } from "cdktf-iam-tokens";
import { ApiCall } from "../demo/api-call";
import { expectThat, playExample, showCalls } from "../demo/example";

/** The program names the cloud, and knows neither address nor user. */
function declareStack(app: App, productApiUrl: string): void {
  const stack = new TerraformStack(app, "main");
  const identity = IdentityService.fromCloud(stack, "identity", "prod");
  const web = new ServiceUserToken(stack, "web", { identity, scope: TokenScope.project("web") });
  new ApiCall(stack, "call", { url: `${productApiUrl}/projects/web`, token: web });
}

const cloudsYaml = (authUrl: string): string => `clouds:
  prod:
    auth:
      auth_url: ${authUrl}/identity/v3
      user_domain_name: "123456"
      username: deployer
`;

const secureYaml = (password: string): string => `clouds:
  prod:
    auth:
      password: ${JSON.stringify(password)}
`;

playExample("Credentials of a clouds.yaml", async (stage) => {
  const { steps, identity, api, project, secrets } = stage;
  const password = secrets.SERVICE_USER_PASSWORD;
  await steps.run("clouds.yaml, and an owner-only secure.yaml with the password", async () => {
    writeFileSync("clouds.yaml", cloudsYaml(identity.authUrl));
    writeFileSync("secure.yaml", secureYaml(password), { mode: 0o600 });
  });
  const app = new App();
  declareStack(app, api.url);
  app.synth();

  const folder = project.stackFolder("main");
  const written = readFileSync(join(folder, "cdk.tf.json"), "utf8");
  expectThat(
    !written.includes(password) && !written.includes(identity.authUrl),
    "the files are read by Terraform, not at synthesis",
  );
  await steps.run("terraform init and apply", () => project.apply(folder));
  showCalls(stage, 1);
});
