/** What a launched provider costs in a plan, beside hashicorp/http with as many requests, in one run. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { App, LocalBackend, TerraformStack } from "cdktf";
import { IdentityService, SecretRef, ServiceUserToken, TokenScope } from "../../lib";
import { EmbeddedIdentityService } from "../../lib/testing";
import { GO_PROVIDERS, installProvider } from "../support/go-providers";
import type { Scratch } from "../support/scratch";
import { runTerraform } from "../support/terraform";
import { type Contestant, measure, table } from "./pairs";

const PASSWORD = "bench-password";

/** What `most` each row may be of the time of hashicorp/http. */
const ROWS = [
  { id: "one", aliases: 1, tokens: 1, most: 0.8 },
  { id: "three", aliases: 3, tokens: 3, most: 0.8 },
  { id: "hundred", aliases: 1, tokens: 100, most: 0.5 },
] as const;

export async function benchLaunchedPlans(scratch: Scratch, rounds: number): Promise<void> {
  const identity = await EmbeddedIdentityService.start({
    accountId: "123456",
    serviceUsers: [{ name: "deployer", password: PASSWORD, permission: { account: true } }],
  });
  try {
    const outdir = join(scratch.folder, "launched");
    const app = new App({ outdir });
    for (const { id, aliases, tokens } of ROWS) declareTokens(new TerraformStack(app, id), identity.authUrl, aliases, tokens);
    app.synth();
    for (const { id, aliases, tokens, most } of ROWS) {
      const ours = join(outdir, "stacks", id);
      const theirs = await httpStack(join(scratch.folder, `http-${id}`), identity.authUrl, tokens);
      for (const folder of [ours, theirs]) await terraform(scratch, folder, ["init"]);
      const counted = identity.journal.length;
      await terraform(scratch, ours, ["plan"]);
      const requests = identity.journal.length - counted;
      const plan = (name: string, folder: string, env: Readonly<Record<string, string>> = {}): Contestant => ({
        name,
        run: () => terraform(scratch, folder, ["plan", "-out=saved"], env),
      });
      const what = `${tokens} token${tokens === 1 ? "" : "s"}, ${aliases} provider block${aliases === 1 ? "" : "s"}`;
      console.log(`\nterraform plan, launched: ${what}; ${requests} request(s); at most ${most} is wanted`);
      const outcomes = await measure(
        [
          plan("one server for all launches (the default on Linux)", ours),
          plan("a server a launch (IAM_TOKENS_HANDOVER=0)", ours, { IAM_TOKENS_HANDOVER: "0" }),
          plan(`hashicorp/http ${GO_PROVIDERS.http.release}, ${tokens} request(s)`, theirs),
        ],
        rounds,
      );
      for (const line of table(outcomes)) console.log(line);
    }
  } finally {
    await identity.stop();
  }
}

async function terraform(
  scratch: Scratch,
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  const { exitCode, durationMs, text } = await runTerraform(folder, args, {
    scratch,
    env: { SERVICE_USER_PASSWORD: PASSWORD, ...env },
  });
  if (exitCode !== 0) throw new Error(text);
  return durationMs;
}

function declareTokens(stack: TerraformStack, authUrl: string, aliases: number, tokens: number): void {
  const identities = Array.from(
    { length: aliases },
    (_, index) =>
      new IdentityService(stack, `identity-${index}`, {
        authUrl,
        accountId: "123456",
        serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
      }),
  );
  const perAlias = tokens / aliases;
  for (const [index, identity] of identities.entries()) {
    for (let n = 0; n < perAlias; n += 1) {
      new ServiceUserToken(stack, `token-${index}-${n}`, { identity, scope: TokenScope.account() });
    }
  }
  new LocalBackend(stack, { path: "terraform.tfstate" });
}

/** The same requests by hashicorp/http, the password in each. */
async function httpStack(folder: string, authUrl: string, requests: number): Promise<string> {
  mkdirSync(folder);
  const domain = { name: "123456" };
  const password = { user: { name: "deployer", domain, password: PASSWORD } };
  const request = {
    url: `${authUrl}/identity/v3/auth/tokens`,
    method: "POST",
    request_headers: { "Content-Type": "application/json" },
    request_body: JSON.stringify({ auth: { identity: { methods: ["password"], password }, scope: { domain } } }),
  };
  const data = Object.fromEntries(Array.from({ length: requests }, (_, index) => [`token_${index}`, request]));
  const required_providers = { http: { source: "hashicorp/http", version: GO_PROVIDERS.http.release } };
  writeFileSync(join(folder, "main.tf.json"), JSON.stringify({ terraform: { required_providers }, data: { http: data } }));
  await installProvider(folder, "http");
  return folder;
}
