import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Testing } from "cdktf";
import { SecretRef } from "cdktf-iam-tokens";
import { EmbeddedIdentityService } from "cdktf-iam-tokens/testing";
import { MyStack } from "./my-stack";

test("in a job of GitHub Actions, my stack plans without a password", async () => {
  const identity = await EmbeddedIdentityService.start({
    accountId: "123456",
    serviceUsers: [],
    identityProviders: [{ id: "ci", audience: "my-cloud", permission: { projects: ["web"] } }],
  });
  try {
    const app = Testing.app();
    const token = SecretRef.githubActions("my-cloud");
    new MyStack(app, "my-stack", {
      authUrl: identity.authUrl,
      federation: { identityProvider: "ci", protocol: "openid", token },
    });
    app.synth();
    const job = identity.githubActions({ sub: "repo:example/shop:ref:refs/heads/main" });
    const options = {
      cwd: `${app.outdir}/stacks/my-stack`,
      env: { ...process.env, ...job },
    };
    await promisify(execFile)("terraform", ["init"], options);
    await promisify(execFile)("terraform", ["plan"], options);
    expect(identity.journal.map(({ path }) => path.replace(/^.*\//, ""))).toEqual([
      "id-token",
      "auth",
      "tokens",
    ]);
  } finally {
    await identity.stop();
  }
}, 60_000);
