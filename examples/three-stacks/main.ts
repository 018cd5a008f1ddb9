/** Three stacks that share one credential: `node --import tsx examples/three-stacks/main.ts`. */
import { App, TerraformStack } from "cdktf";
import { IdentityService, SecretRef, ServiceUserToken, TokenScope } from "cdktf-iam-tokens";
import { ApiCall } from "../demo/api-call";
import { expectNoSecret, playExample, showCalls } from "../demo/example";

const STACKS = ["network", "shop", "audit"] as const;

/** The credential is declared once, in the first stack; each of the others reopens the token. */
function declareStacks(app: App, authUrl: string, productApiUrl: string): void {
  const [network, ...others] = STACKS.map((id) => new TerraformStack(app, id));
  if (network === undefined) return;
  const identity = new IdentityService(network, "identity", {
    authUrl,
    accountId: "123456",
    serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
  });
  const account = new ServiceUserToken(network, "account", {
    identity,
    scope: TokenScope.account(),
  });

  new ApiCall(network, "call", { url: `${productApiUrl}/account`, token: account });
  for (const stack of others) {
    // The same declaration in that stack: nothing goes through a state, and the stacks do not wait
    // for one another.
    new ApiCall(stack, "call", { url: `${productApiUrl}/account`, token: account.reopenIn(stack) });
  }
}

playExample("Three stacks that share one credential", async (stage) => {
  const { steps, identity, api, project } = stage;
  const app = new App();
  declareStacks(app, identity.authUrl, api.url);
  app.synth();
  for (const stack of STACKS) {
    await steps.run(`terraform init and apply in the stack ${stack}`, () =>
      project.apply(project.stackFolder(stack)),
    );
  }
  showCalls(stage, 3);

  await steps.run("no secret in any stack, plan, state or output", async () =>
    expectNoSecret(stage),
  );
});
