import { NullProvider } from "@cdktf/provider-null/lib/provider";
import { Resource } from "@cdktf/provider-null/lib/resource";
import { App, TerraformOutput, TerraformStack } from "cdktf";
import {
  IdentityService,
  RotationHook,
  RotationSchedule,
  SecretRef,
  ServiceUserToken,
  TokenOutputs,
  TokenResolution,
  TokenScope,
} from "cdktf-iam-tokens";

const authUrl = process.env.AUTH_URL ?? "http://127.0.0.1:35357";
const environment = { API_URL: `${process.env.API_URL ?? `${authUrl}/echo`}/projects/web` };

const app = new App();
const stack = new TerraformStack(app, "rotating");
const identity = new IdentityService(stack, "identity", {
  authUrl,
  accountId: "123456",
  serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
});

// A token in the state. Apply this stack every six hours: it rotates before it expires. Another
// RELEASE rotates at once.
const token = new ServiceUserToken(stack, "web", {
  identity,
  scope: TokenScope.project("web"),
  resolution: TokenResolution.rotating({
    schedule: RotationSchedule.every("6h"),
    keepers: { release: process.env.RELEASE ?? "1" },
    verifyAtRefresh: true,
  }),
});
new TokenOutputs(stack, "ci", { token });
new TerraformOutput(stack, "rotate_at", { value: token.rotateAt });

// After each rotation, with the token in the command's environment. Terraform prints nothing of it.
new RotationHook(stack, "hook", {
  token,
  command: 'printf "%s: %s" "$IAM_TOKEN_HEADER" "$IAM_TOKEN" | curl -sf -H @- "$API_URL"',
  environment,
});

// The same by HashiCorp's null provider, for a stack that has its resources already. When the
// command fails, Terraform prints its output.
new NullProvider(stack, "null");
new Resource(stack, "null-resource", {
  triggers: { rotation: token.rotationId },
  provisioners: [
    {
      type: "local-exec",
      command: 'printf "%s: %s" "$API_HEADER" "$API" | curl -sf -H @- "$API_URL"',
      environment: { ...environment, ...token.environment("API") },
    },
  ],
});

app.synth();
