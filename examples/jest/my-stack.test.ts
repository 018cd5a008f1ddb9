import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Testing } from "cdktf";
import { EmbeddedIdentityService, scanForLeaks } from "cdktf-iam-tokens/testing";
import { MyStack } from "./my-stack";

test("my stack plans with one token, and leaves no secret behind", async () => {
  const password = "password-of-this-test";
  const identity = await EmbeddedIdentityService.start({
    accountId: "123456",
    serviceUsers: [
      { name: "deployer", password, permission: { account: true, projects: ["web"] } },
    ],
  });
  try {
    const app = Testing.app();
    new MyStack(app, "my-stack", { authUrl: identity.authUrl });
    app.synth();
    const options = {
      cwd: `${app.outdir}/stacks/my-stack`,
      env: { ...process.env, SERVICE_USER_PASSWORD: password },
    };
    // Not execFileSync: it stops this process, and the identity service in it.
    await promisify(execFile)("terraform", ["init"], options);
    await promisify(execFile)("terraform", ["plan", "-out=saved"], options);

    expect(identity.journal.map(({ status }) => status)).toEqual([201]);
    const canaries = { password, ...Object.fromEntries(identity.issuedTokens().entries()) };
    expect(scanForLeaks({ canaries, folders: [app.outdir] }).findings).toEqual([]);
  } finally {
    await identity.stop();
  }
}, 60_000);
