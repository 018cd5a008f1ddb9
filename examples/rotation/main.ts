import { App, TerraformOutput, TerraformStack } from "cdktf";
import {
  IdentityService,
  RotationSchedule,
  SecretRef,
  ServiceUserToken,
  TokenOutputs,
  TokenResolution,
  TokenScope,
} from "cdktf-iam-tokens";

const app = new App();
const stack = new TerraformStack(app, "rotating");
const identity = new IdentityService(stack, "identity", {
  authUrl: process.env.AUTH_URL ?? "http://127.0.0.1:35357",
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

app.synth();
