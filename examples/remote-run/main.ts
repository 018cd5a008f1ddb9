/**
 * A token that is resolved before synthesis, for a run where our provider cannot start: `node
 * --import tsx examples/remote-run/main.ts`.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { App, TerraformStack } from "cdktf";
import {
  IdentityService,
  resolveTokens,
  SecretRef,
  ServiceUserToken,
  TokenResolution,
  TokenScope,
} from "cdktf-iam-tokens";
import { ApiCall } from "../demo/api-call";
import { expectNoSecret, expectThat, playExample, showCalls } from "../demo/example";

function declareStack(app: App, authUrl: string, productApiUrl: string): void {
  const stack = new TerraformStack(app, "remote");
  const identity = new IdentityService(stack, "identity", {
    authUrl,
    accountId: "123456",
    serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
  });
  const scope = TokenScope.project("web");
  const token = new ServiceUserToken(stack, "web", {
    identity,
    scope,
    resolution: TokenResolution.SYNTH,
  });
  new ApiCall(stack, "call", { url: `${productApiUrl}/projects/web`, token });
}

playExample("A token that is resolved before synthesis", async (stage) => {
  const { steps, identity, api, project } = stage;
  const app = new App();
  declareStack(app, identity.authUrl, api.url);
  // In a program of your own: `await resolveTokens(app)`. This environment has the password, and
  // the variable CI: no file is written.
  const resolved = await steps.run("resolveTokens, then synthesis", async () => {
    const tokens = await resolveTokens(app, { environment: project.environment });
    app.synth();
    return tokens;
  });
  steps.detail(`${resolved}`);

  const folder = project.stackFolder("remote");
  expectThat(
    !existsSync(join(folder, "terraform.d")),
    "the stack's folder has no provider of ours",
  );
  await steps.run("terraform init and apply: no password, and no provider of ours", async () => {
    const environment = { SERVICE_USER_PASSWORD: "", ...resolved.environment("remote") };
    await project.apply(folder, environment);
  });
  showCalls(stage, 1);

  await steps.run("no secret in what a remote run uploads, nor in the state", async () =>
    expectNoSecret(stage),
  );
});
