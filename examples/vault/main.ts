import { App, Fn, TerraformOutput, TerraformStack, TerraformVariable } from "cdktf";
import {
  IdentityService,
  RotationSchedule,
  SecretRef,
  ServiceUserToken,
  TokenResolution,
  TokenRotation,
  TokenScope,
} from "cdktf-iam-tokens";
import { KvSecretV2 } from "./.gen/providers/vault/kv-secret-v2";
import { VaultProvider } from "./.gen/providers/vault/provider";

const app = new App();
const stack = new TerraformStack(app, "rotation");
const identity = new IdentityService(stack, "identity", {
  authUrl: process.env.AUTH_URL ?? "https://cloud.api.example.com",
  accountId: "123456",
  serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
});

// The secret cannot be read before the first deploy, and not after it was lost: set it to false then.
new TerraformVariable(stack, "token_is_stored", { type: "bool", default: false });
stack.addOverride("ephemeral.vault_kv_secret_v2.stored", {
  count: "${var.token_is_stored ? 1 : 0}",
  mount: "kv",
  name: "web/api-token",
});

// Apply this stack every six hours. Another RELEASE rotates at once.
const rotation = new TokenRotation(stack, "schedule", {
  schedule: RotationSchedule.every("6h"),
  keepers: { release: process.env.RELEASE ?? "1" },
  storedToken:
    '${var.token_is_stored ? try(ephemeral.vault_kv_secret_v2.stored[0].data.token, "") : null}',
});
const token = new ServiceUserToken(stack, "token", {
  identity,
  scope: TokenScope.project("web"),
  resolution: TokenResolution.ephemeral({ rotateWith: rotation }),
});

// Vault's own token is in VAULT_TOKEN, or in ~/.vault-token.
new VaultProvider(stack, "vault", {
  address: process.env.VAULT_ADDR ?? "https://vault.example.com",
});
new KvSecretV2(stack, "secret", {
  mount: "kv",
  name: "web/api-token",
  dataJsonWo: Fn.jsonencode({ token: token.value, header: token.headerName }),
  dataJsonWoVersion: rotation.version,
});
new TerraformOutput(stack, "rotate_at", { value: rotation.rotateAt });

app.synth();
