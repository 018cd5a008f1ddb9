import { App, PgBackend, TerraformOutput, TerraformStack } from "cdktf";
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
const stack = new TerraformStack(app, "production");

// A runner keeps nothing, so the state is elsewhere. Any backend that locks will do; the password
// of this one is in PGPASSWORD.
new PgBackend(stack, {
  connStr: process.env.STATE_DATABASE ?? "postgres://terraform@db.example.com/terraform",
  schemaName: "production",
});

const identity = new IdentityService(stack, "identity", {
  authUrl: process.env.AUTH_URL ?? "https://cloud.api.example.com",
  accountId: "123456",
  serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
});
const token = new ServiceUserToken(stack, "token", {
  identity,
  scope: TokenScope.project("web"),
  resolution: TokenResolution.rotating({
    // As in re-apply.yml: every six hours, up to an hour late.
    schedule: RotationSchedule.cron("17 */6 * * *", { startDelay: "1h", longestApply: "30m" }),
  }),
});
new TokenOutputs(stack, "ci", { token });
// For check-rotation.yml.
new TerraformOutput(stack, "rotate_at", { value: token.rotateAt });

app.synth();
