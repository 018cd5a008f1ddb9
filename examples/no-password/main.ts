/**
 * A job of GitHub Actions that signs in without a password: `node --import tsx
 * examples/no-password/main.ts`.
 */
import { App, TerraformStack } from "cdktf";
import { IdentityService, SecretRef, ServiceUserToken, TokenScope } from "cdktf-iam-tokens";
import { ApiCall } from "../demo/api-call";
import { expectNoSecret, expectThat, playExample, requestsTo, showCalls } from "../demo/example";

const AUDIENCE = "https://cloud.api.example.com";

function declareStack(app: App, authUrl: string, productApiUrl: string): void {
  const stack = new TerraformStack(app, "production");
  const identity = new IdentityService(stack, "identity", {
    authUrl,
    accountId: "123456",
    federation: {
      identityProvider: "github",
      protocol: "openid",
      token: SecretRef.githubActions(AUDIENCE),
    },
  });
  const account = new ServiceUserToken(stack, "account", {
    identity,
    scope: TokenScope.account(),
  });
  const web = new ServiceUserToken(stack, "web", { identity, scope: TokenScope.project("web") });
  new ApiCall(stack, "call-account", { url: `${productApiUrl}/account`, token: account });
  new ApiCall(stack, "call-web", { url: `${productApiUrl}/projects/web`, token: web });
}

playExample(
  "GitHub Actions without a password",
  async (stage) => {
    const { steps, identity, api, project } = stage;
    const job = project.environment.ACTIONS_ID_TOKEN_REQUEST_TOKEN ?? "";
    const app = new App();
    declareStack(app, identity.authUrl, api.url);
    app.synth();
    await steps.run("terraform init and apply, in a job that has no secret of ours", () =>
      project.apply(project.stackFolder("production")),
    );
    showCalls(stage, 2);

    await steps.run("one identity token at each sign-in, one sign-in for both scopes", async () => {
      const requests = (end: string) =>
        identity.journal.filter(({ path, status }) => path.endsWith(end) && status < 300).length;
      const signIns = requests("/protocols/openid/auth");
      expectThat(signIns > 0 && signIns === requests("/id-token"), "GitHub is asked once each");
      expectThat(requests("/auth/tokens") === 2 * signIns, "each sign-in is for both scopes");
      const all = requestsTo(identity).length;
      expectThat(all === 4 * signIns, `${all} requests are all`);
    });
    await steps.run("no token in the stack's folder, plan, state or output", async () =>
      expectNoSecret(stage, { job }),
    );
  },
  {
    // The cloud knows GitHub's issuer; no user of it has a password.
    account: {
      serviceUsers: [],
      identityProviders: [
        {
          id: "github",
          issuer: "https://token.actions.githubusercontent.com",
          audience: AUDIENCE,
          permission: { account: true, projects: ["web"] },
        },
      ],
    },
    // A job with "permissions: id-token: write" has these two variables.
    environment: (identity) => ({
      ...identity.githubActions({ sub: "repo:example/shop:environment:production" }),
    }),
  },
);
