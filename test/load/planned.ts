import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TerraformStack } from "cdktf";
import { EmbeddedProvider } from "../../lib";
import { type CommandResult, startCommand } from "../support/command";
import { stillRunning } from "../support/processes";
import { packageRoot } from "../support/project";
import { makeScratch, type Scratch } from "../support/scratch";
import { synthApp } from "../support/synth";
import { runTerraform, terraformBinary, terraformEnvironment } from "../support/terraform";
import { PeakMemory } from "./peak-memory";
import type { LoadCredential, ServiceUnderLoad } from "./service-under-load";

/** Cost of a plan. */
export interface Planned {
  readonly exitCode: number | null;
  readonly text: string;
  readonly durationMs: number;
  /** Of the largest process of our provider. */
  readonly peakMb: number;
}

const TIMEOUT_MS = 300_000;
const REQUIRED =
  'terraform {\n  required_providers {\n    iam = { source = "npm.invalid/cdktf-iam-tokens/iam" }\n  }\n}\n';

/**
 * One real `terraform plan` that opens every credential of a service; every service user has its
 * own provider block.
 */
export async function planAll(service: ServiceUnderLoad): Promise<Planned> {
  const scratch = makeScratch();
  const memory = new PeakMemory(scratch.marker, (command) =>
    /main\.cjs|attached\.js/.test(command),
  );
  try {
    const users = [...new Set(service.credentials.map(({ user }) => user))];
    const passwords = Object.fromEntries(
      service.credentials.map(({ user, password }) => [variableOf(user), password]),
    );
    const hcl =
      REQUIRED +
      users.map((user) => providerBlock(user, service)).join("") +
      service.credentials.map(tokenBlock).join("");
    // Each provider block of a launched provider is three processes more: for many of them one is
    // started beforehand.
    const plan = users.length === 1 ? planLaunched : planAttached;
    const { exitCode, text, durationMs } = await plan(hcl, passwords, scratch);
    const left = await stillRunning(scratch.marker);
    if (left.length > 0)
      throw new Error(`left running: ${left.map(({ command }) => command).join("; ")}`);
    return { exitCode, text, durationMs: Math.round(durationMs), peakMb: memory.stop() };
  } finally {
    memory.stop();
    scratch.remove();
  }
}

type Variables = Readonly<Record<string, string>>;

/** Terraform starts the provider that synthesis has laid out. */
async function planLaunched(hcl: string, env: Variables, scratch: Scratch): Promise<CommandResult> {
  const app = synthApp((root) => void EmbeddedProvider.of(new TerraformStack(root, "load")));
  try {
    const folder = join(app.stackFolder("load"), "module");
    mkdirSync(folder);
    symlinkSync("../terraform.d", join(folder, "terraform.d"));
    return await initAndPlan(folder, hcl, env, scratch);
  } finally {
    app.remove();
  }
}

/** The provider is running already, and serves every block from one process. */
async function planAttached(
  hcl: string,
  passwords: Variables,
  scratch: Scratch,
): Promise<CommandResult> {
  const folder = join(scratch.folder, "module");
  mkdirSync(folder);
  writeFileSync(join(folder, "main.tf"), hcl);
  const terraform = terraformBinary();
  return startCommand(
    process.execPath,
    [
      join(packageRoot, "dist/cli/main.js"),
      "run",
      "--quiet",
      "--",
      "sh",
      "-c",
      `${terraform} init && ${terraform} plan -no-color`,
    ],
    { cwd: folder, env: { ...terraformEnvironment(scratch), ...passwords }, timeoutMs: TIMEOUT_MS },
  ).finished;
}

async function initAndPlan(
  folder: string,
  hcl: string,
  env: Variables,
  scratch: Scratch,
): Promise<CommandResult> {
  writeFileSync(join(folder, "main.tf"), hcl);
  const init = await runTerraform(folder, ["init"], { scratch, env });
  if (init.exitCode !== 0) throw new Error(init.text);
  return runTerraform(folder, ["plan", "-no-color"], { scratch, env, timeoutMs: TIMEOUT_MS });
}

const variableOf = (user: string) => `PASSWORD_OF_${user.toUpperCase().replaceAll("-", "_")}`;

function providerBlock(user: string, { authUrl, accountId }: ServiceUnderLoad): string {
  const values = {
    alias: user,
    auth_url: authUrl,
    account_id: accountId,
    user_name: user,
    password_env: variableOf(user),
  };
  return `provider "iam" {\n${lines(values)}}\n`;
}

function tokenBlock({ user, project }: LoadCredential, index: number): string {
  const scope =
    project === undefined ? { scope: "account" } : { scope: "project", project_name: project };
  return `ephemeral "iam_token" "t${index}" {\n  provider = iam.${user}\n${lines(scope)}}\n`;
}

const lines = (values: Variables) =>
  Object.entries(values)
    .map(([name, value]) => `  ${name} = ${JSON.stringify(value)}\n`)
    .join("");
