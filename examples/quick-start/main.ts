import { App, DataResource, TerraformStack } from "cdktf";
import {
  type IAuthenticationToken,
  IdentityService,
  SecretRef,
  ServiceUserToken,
  StaticTokenRef,
  TokenOutputs,
  TokenResolution,
  TokenScope,
} from "cdktf-iam-tokens";

const authUrl = process.env.AUTH_URL ?? "http://127.0.0.1:35357";
const apiUrl = process.env.API_URL ?? `${authUrl}/echo`;

const app = new App();
const stack = new TerraformStack(app, "quick-start");
const identity = new IdentityService(stack, "identity", {
  authUrl,
  accountId: "123456",
  serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
});

// One token of each kind, each for its own product API.
const account = new ServiceUserToken(stack, "account", { identity, scope: TokenScope.account() });
const web = new ServiceUserToken(stack, "web", { identity, scope: TokenScope.project("web") });
const calls: Record<string, IAuthenticationToken> = { account, "projects/web": web };
// Where there is one. Terraform reads it, not this program.
if (process.env.STATIC_TOKEN)
  calls.dns = new StaticTokenRef(stack, "dns", { source: SecretRef.env("STATIC_TOKEN") });
for (const [path, token] of Object.entries(calls)) {
  new DataResource(stack, `call-${path.replace("/", "-")}`, {
    provisioners: [
      {
        type: "local-exec",
        // As an argument of curl, the token would be visible to `ps`.
        command: 'printf "%s: %s" "$API_HEADER" "$API" | curl -sf -H @- "$API_URL"',
        environment: { ...token.environment("API"), API_URL: `${apiUrl}/${path}` },
      },
    ],
  });
}

// The one token that other programs read: `cdktf output` prints its value as sensitive.
const shared = new ServiceUserToken(stack, "shared", {
  identity,
  scope: TokenScope.project("web"),
  resolution: TokenResolution.data(),
});
new TokenOutputs(stack, "ci", { token: shared });

app.synth();
