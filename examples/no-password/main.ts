import { App, DataResource, TerraformStack } from "cdktf";
import { IdentityService, SecretRef, ServiceUserToken, TokenScope } from "cdktf-iam-tokens";

const apiUrl = process.env.API_URL ?? "https://api.example.com";

const app = new App();
const stack = new TerraformStack(app, "production");
const identity = new IdentityService(stack, "identity", {
  authUrl: process.env.AUTH_URL ?? "https://cloud.api.example.com",
  accountId: "123456",
  federation: {
    identityProvider: "github",
    protocol: "openid",
    token: SecretRef.githubActions("https://cloud.api.example.com"),
  },
});

// One sign-in is enough for tokens of several scopes.
const account = new ServiceUserToken(stack, "account", { identity, scope: TokenScope.account() });
const web = new ServiceUserToken(stack, "web", { identity, scope: TokenScope.project("web") });
for (const [path, token] of Object.entries({ account, "projects/web": web })) {
  new DataResource(stack, `call-${path.replace("/", "-")}`, {
    provisioners: [
      {
        type: "local-exec",
        command: 'printf "%s: %s" "$API_HEADER" "$API" | curl -sf -H @- "$API_URL"',
        environment: { ...token.environment("API"), API_URL: `${apiUrl}/${path}` },
      },
    ],
  });
}

app.synth();
