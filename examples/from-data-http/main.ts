// After: this package. No password and no token is in a file, plan or state.
import { App, DataResource, TerraformStack } from "cdktf";
import { IdentityService, SecretRef, ServiceUserToken, TokenScope } from "cdktf-iam-tokens";

const app = new App();
const stack = new TerraformStack(app, "call");
const identity = new IdentityService(stack, "identity", {
  authUrl: process.env.AUTH_URL ?? "https://cloud.api.example.com",
  accountId: "123456",
  serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
});
const token = new ServiceUserToken(stack, "token", { identity, scope: TokenScope.project("web") });

new DataResource(stack, "call", {
  provisioners: [
    {
      type: "local-exec",
      command: `printf "%s: %s" "$API_HEADER" "$API" | curl -sf -H @- ${process.env.API_URL}`,
      environment: token.environment("API"),
    },
  ],
});
app.synth();
