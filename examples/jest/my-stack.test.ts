import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { LocalBackend, Testing } from "cdktf";
import {
  SecretRef,
  ServiceUserToken,
  TokenOutputs,
  TokenResolution,
  TokenScope,
} from "cdktf-iam-tokens";
import { EmbeddedIdentityService, scanForLeaks } from "cdktf-iam-tokens/testing";
import { MyStack } from "./my-stack";

const password = "password-of-this-test";
let identity: EmbeddedIdentityService;
let folder: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "my-stack-"));
  identity = await EmbeddedIdentityService.start({
    accountId: "123456",
    serviceUsers: [{ name: "deployer", password, permission: { projects: ["web"] } }],
  });
});
afterEach(async () => {
  await identity.stop();
  rmSync(folder, { recursive: true });
});

/** Applies my stack, and searches everything that it leaves behind for the password and tokens. */
async function leaksOf(addTo: (stack: MyStack) => void = () => {}) {
  const app = Testing.app({ outdir: join(folder, "cdktf.out") });
  const stack = new MyStack(app, "my-stack", {
    authUrl: identity.authUrl,
    serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
  });
  addTo(stack);
  // By default, the state is not in outdir: it is where the command runs, as terraform.STACK.tfstate.
  new LocalBackend(stack, { path: join(folder, "terraform.tfstate") });
  app.synth();
  const options = {
    cwd: join(app.outdir, "stacks/my-stack"),
    env: { ...process.env, SERVICE_USER_PASSWORD: password },
  };
  // Not execFileSync: it stops this process, and the identity service in it.
  await promisify(execFile)("terraform", ["init"], options);
  await promisify(execFile)("terraform", ["plan", "-out=saved"], options);
  await promisify(execFile)("terraform", ["apply", "saved"], options);
  const canaries = { password, ...Object.fromEntries(identity.issuedTokens().entries()) };
  const { findings, notScanned } = scanForLeaks({ canaries, folders: [folder] });
  return [...findings, ...notScanned];
}

test("my stack gets tokens of its project, and leaves no secret behind", async () => {
  expect(await leaksOf()).toEqual([]);
  expect(identity.journal.map(({ status }) => status)).toEqual([201, 201]);
}, 60_000);

test("with a token in an output, the scan finds it: in the plan, and in the state", async () => {
  const findings = await leaksOf((stack) => {
    const { identity: service } = stack;
    const resolution = TokenResolution.data();
    const scope = TokenScope.project("web");
    const token = new ServiceUserToken(stack, "shared", { identity: service, scope, resolution });
    new TokenOutputs(stack, "ci", { token });
  });
  const state = join(folder, "terraform.tfstate");
  expect(findings).toContainEqual(expect.objectContaining({ where: state, encoding: "plain" }));
}, 60_000);
