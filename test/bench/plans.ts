import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startCommand } from "../support/command";
import { builtProvider, installProvider } from "../support/go-providers";
import { packageRoot } from "../support/project";
import { terraformBinary } from "../support/terraform";
import type { Contestant, Outcome } from "./pairs";
import { HTTP, NONE } from "./report";
import { ACCOUNT, PASSWORD, PASSWORD_VARIABLE, type Stage, timed, USER } from "./stage";

export const commandOf = (root: string) => join(root, "dist/cli/main.js");
export const IAM_TOKENS = commandOf(packageRoot);

const OWN_SERVERS = {
  name: "the same without the hand-over, as on macOS and Windows",
  env: { IAM_TOKENS_HANDOVER: "0" },
};
const LATER = "a later plan under `iam-tokens run`";

/** Whole plans with 1 and 100 tokens of one credential. */
export async function measurePlans(stage: Stage): Promise<Outcome[][]> {
  // The first call on a machine builds it, in up to a minute.
  const peer = await builtProvider("http").catch((error: unknown) => {
    console.error(`${HTTP} is left out: ${error}`);
  });
  const attached = await startAttached(stage);
  try {
    const comparisons: Outcome[][] = [];
    for (const tokens of [1, 100]) {
      const count = `${tokens} token${tokens === 1 ? "" : "s"}`;
      const what = `\`terraform plan\`, ${count}`;
      const plans: Plan[] = [
        { name: NONE },
        { name: what },
        ...(tokens === 1 ? [OWN_SERVERS] : []),
        { name: `${LATER}, ${count}`, env: attached.env },
        ...(peer === undefined ? [] : [{ name: HTTP }]),
      ];
      const contestants = plans.map((plan) => planning(stage, tokens, plan));
      comparisons.push(await stage.measure(what, await Promise.all(contestants)));
    }
    return comparisons;
  } finally {
    await attached.stop();
  }
}

interface Plan {
  /** Any but two names means that it has our tokens. */
  readonly name: string;
  /** Added to the environment of `init` and `plan`. */
  readonly env?: Readonly<Record<string, string>>;
  /** The folder `terraform.d` with the provider; by default that of this checkout. */
  readonly plugins?: string;
}

/** Makes a folder ready. Ours is found where synthesis puts it. */
export async function planning(
  stage: Stage,
  tokens: number,
  { name, env, plugins = stage.plugins }: Plan,
): Promise<Contestant> {
  const folder = join(stage.scratch.folder, "plans", `${tokens}`, name.replaceAll(/\W/g, "-"));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "main.tf"), configuration(name, tokens, stage.identity.authUrl));
  if (name === HTTP) await installProvider(folder, "http");
  else if (name !== NONE) symlinkSync(plugins, join(folder, "terraform.d"));
  const terraform = (command: string) =>
    timed(folder, { ...stage.env, ...env }, terraformBinary(), command);
  await terraform("init");
  return { name, run: () => terraform("plan") };
}

/** A provider that `iam-tokens run` keeps for a pipeline. */
export async function startAttached({ scratch, env }: Stage, root = packageRoot) {
  const command = ["sh", "-c", `printf '%s\\n' "$TF_REATTACH_PROVIDERS"; exec sleep 86400`];
  const running = startCommand(
    process.execPath,
    [commandOf(root), "run", "--quiet", "--", ...command],
    { cwd: scratch.folder, env, timeoutMs: 86_400_000 },
  );
  await running.printed(/\n/);
  return {
    env: { TF_REATTACH_PROVIDERS: running.text().trim() },
    async stop() {
      running.signalGroup("SIGTERM");
      await running.finished;
    },
  };
}

/** As many tokens of one credential, or something else in their place. */
function configuration(plan: string, tokens: number, authUrl: string): string {
  const blockOf = (name: string) => {
    if (plan === NONE) return `resource "terraform_data" ${name} {}\n`;
    if (plan !== HTTP) return `ephemeral "iam_token" ${name} {\n  scope = "account"\n}\n`;
    return `data "http" ${name} {
  url             = "${authUrl}/identity/v3/auth/tokens"
  method          = "POST"
  request_headers = { Content-Type = "application/json" }
  request_body    = ${JSON.stringify(BODY)}
}
`;
  };
  const blocks = Array.from({ length: tokens }, (_none, index) => blockOf(`"t${index}"`)).join("");
  if ([NONE, HTTP].includes(plan)) return blocks;
  return `${blocks}
terraform {
  required_providers {
    iam = { source = "npm.invalid/cdktf-iam-tokens/iam" }
  }
}
provider "iam" {
  auth_url     = "${authUrl}"
  account_id   = "${ACCOUNT}"
  user_name    = "${USER}"
  password_env = "${PASSWORD_VARIABLE}"
}
`;
}

const domain = { name: ACCOUNT };
const user = { name: USER, domain, password: PASSWORD };
const BODY = JSON.stringify({
  auth: { identity: { methods: ["password"], password: { user } }, scope: { domain } },
});
