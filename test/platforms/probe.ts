// The same short life of a stack on each machine: init, plan, apply, rotation, no changes, destroy.
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { App, LocalBackend, TerraformStack } from "cdktf";
import { EmbeddedProvider } from "../../lib/constructs/embedded-provider";
import { startIdentity } from "../support/identity-service";
import type { Ended, Machine } from "./machine";

/**
 * How Terraform reaches the provider: the stack has one life for each. "archive": it gets it with
 * Node.js from a mirror.
 */
export type Mode = "hand-over" | "launched" | "attached" | "archive";

/** Its address there, on a host that is none. */
export const ARCHIVED = "example.invalid/example/iam";

export interface ProbeOptions {
  readonly mode: Mode;
  /** Whether this Terraform has ephemeral resources (1.10). */
  readonly ephemerals: boolean;
}

/** Rejects with the expected and the printed text. */
export async function probe(machine: Machine, { mode, ephemerals }: ProbeOptions): Promise<void> {
  const password = `canary-password-${randomBytes(12).toString("hex")}`;
  const identity = await startIdentity(password);
  try {
    const { mirror } = machine;
    const folder = stackIn(machine.work, identity.authUrl, ephemerals, password, mirror);
    const env = {
      SERVICE_USER_PASSWORD: password,
      // The launcher removes it: Node.js would not start with it, as the user's own of `run`.
      ...(mode === "attached" ? {} : { NODE_OPTIONS: "--no-such-option" }),
      ...(mode === "launched" ? { IAM_TOKENS_HANDOVER: "0" } : {}),
    };
    const by = mode === "attached" ? machine.attached : machine.terraform;
    if (by === undefined) throw new Error("There is no attached mode.");
    const run = async (args: readonly string[]): Promise<string> =>
      succeeded(args, await by(folder, [...args, "-no-color"], env));
    const rotation = async (): Promise<string> =>
      (await run(["output", "-json"])).match(/"value": (\d+)/)?.[1] ?? "none";
    const lock = () => readFileSync(join(folder, ".terraform.lock.hcl"), "utf8");

    // A client may use parts of the protocol that the provider does not know, but must print
    // nothing about it.
    const silently = async (...args: readonly string[]): Promise<string> => {
      const text = await run(args);
      // Terraform 1.16 reports at init that it attaches.
      const said = text.replace("Warning: Unmanaged providers are in effect", "");
      if (/Warning|Error/.test(said)) throw new Error(`${args[0]} is not silent:\n${text}`);
      return text;
    };

    if (mirror === undefined) {
      const locked = lock();
      await silently("init", "-input=false");
      if (mode !== "attached") expectSame("the lock file after init", lock(), locked);
    } else await run(["init", "-input=false", `-plugin-dir=${machine.pathThere(mirror)}`]);
    await silently("validate");
    await silently("plan", "-out=saved", "-input=false");
    await silently("apply", "-input=false", "saved");
    expectSame("the first rotation", await rotation(), "1");
    // The plan gives the reason of the rotation.
    await run(["apply", "-auto-approve", "-input=false", "-var=keeper=2"]);
    expectSame("the second rotation", await rotation(), "2");
    const again = await silently("plan", "-input=false", "-var=keeper=2");
    if (!again.includes("No changes.")) throw new Error(`There are changes:\n${again}`);
    // The plan gives the expiry of the token.
    await run(["destroy", "-auto-approve", "-input=false", "-var=keeper=2"]);
    const issued = identity.journal.filter(({ method }) => method === "POST").length;
    if (issued < 4) throw new Error(`Only ${issued} tokens were issued.`);
    const isUse = ({ method, status }: { method: string; status: number }) =>
      method === "HEAD" && status === 200;
    if (!identity.journal.some(isUse)) throw new Error("No token was used.");
  } finally {
    await identity.stop();
  }
}

/** Two aliases; one password in the environment, one in a file with a Windows line ending. */
function stackIn(
  work: string,
  authUrl: string,
  ephemerals: boolean,
  password: string,
  mirror: string | undefined,
): string {
  const outdir = mkdtempSync(join(work, "out-"));
  const folder = mirror === undefined ? synthesized(outdir) : outdir;
  const required = `terraform {
  required_providers {
    iam = { source = "${ARCHIVED}" }
  }
}
`;
  writeFileSync(join(folder, "password.txt"), `${password}\r\n`);
  const block = (alias: string, credential: string) => `provider "iam" {
  alias      = "${alias}"
  auth_url   = "${authUrl}"
  account_id = "123456"
  user_name  = "deployer"
  ${credential}
}
`;
  const ephemeral = `ephemeral "iam_token" "e" {
  provider = iam.first
  scope    = "account"
}
`;
  writeFileSync(
    join(folder, "main.tf"),
    `${mirror === undefined ? "" : required}${block("first", 'password_env = "SERVICE_USER_PASSWORD"')}
${block("second", 'password_file = "${path.root}/password.txt"')}
variable "keeper" {
  type    = string
  default = "1"
}
${ephemerals ? ephemeral : ""}
data "iam_token" "d" {
  provider     = iam.second
  scope        = "project"
  project_name = "web"
}
resource "iam_token" "r" {
  provider              = iam.first
  scope                 = "account"
  rotate_when_remaining = "1h"
  verify_at_refresh     = true
  keepers               = { keeper = var.keeper }
}
output "rotation" {
  value = iam_token.r.rotation
}
`,
  );
  return folder;
}

function synthesized(outdir: string): string {
  const app = new App({ outdir });
  const stack = new TerraformStack(app, "probe");
  new LocalBackend(stack, { path: "terraform.tfstate" });
  EmbeddedProvider.getOrCreate(stack);
  app.synth();
  return join(outdir, "stacks/probe");
}

function succeeded(args: readonly string[], { exitCode, text }: Ended): string {
  if (exitCode !== 0)
    throw new Error(`${args.join(" ")} ended with ${exitCode}:\n${text.slice(-4_000)}`);
  return text;
}

function expectSame(what: string, found: string, expected: string): void {
  if (found !== expected) throw new Error(`${what}: ${found} in the place of ${expected}`);
}
