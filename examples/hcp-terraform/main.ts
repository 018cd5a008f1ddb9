import { App, CloudBackend, DataResource, NamedCloudWorkspace, TerraformStack } from "cdktf";
import {
  IdentityService,
  resolveTokens,
  SecretRef,
  ServiceUserToken,
  TokenResolution,
  TokenScope,
} from "cdktf-iam-tokens";

const app = new App();
const stack = new TerraformStack(app, "web");
new CloudBackend(stack, {
  organization: "example",
  workspaces: new NamedCloudWorkspace("web"),
});
const identity = new IdentityService(stack, "identity", {
  authUrl: process.env.AUTH_URL ?? "https://cloud.api.example.com",
  accountId: "123456",
  serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
});
const token = new ServiceUserToken(stack, "token", {
  identity,
  scope: TokenScope.project("web"),
  resolution: TokenResolution.synth(),
});
new DataResource(stack, "call", {
  provisioners: [
    {
      type: "local-exec",
      command:
        'printf "%s: %s" "$API_HEADER" "$API" |' +
        ` curl -sf -H @- ${process.env.API_URL ?? "https://api.example.com/servers"}`,
      environment: token.environment("API"),
    },
  ],
});

// The token is requested here. Terraform uploads its file with the stack, as a value of an
// ephemeral variable; the runner needs neither the password nor this package's provider.
resolveTokens(app, { writeFile: true })
  .then(() => app.synth())
  .catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
