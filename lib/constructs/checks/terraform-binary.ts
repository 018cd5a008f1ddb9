import { spawnSync } from "node:child_process";

/** Terraform or OpenTofu, as its `version` command tells. */
export interface TerraformVersion {
  readonly product: "Terraform" | "OpenTofu";
  readonly version: string;
  readonly hasEphemerals: boolean;
}

/** The first minor version of 1 that has ephemeral resources. */
const FIRST_MINOR = { Terraform: 10, OpenTofu: 11 } as const;

/** Longest wait for the version, in milliseconds. */
const LIMIT_MS = 5_000;

const asked = new Map<string, TerraformVersion | undefined>();

/**
 * The Terraform or OpenTofu that the CDKTF command line would run here, or undefined when there is none or it does not tell.
 * Asked once a process and binary. What is synthesized never depends on it: only an error does.
 */
export function terraformThatIsThere(): TerraformVersion | undefined {
  const binary = process.env.TERRAFORM_BINARY_NAME || "terraform";
  if (!asked.has(binary)) asked.set(binary, askVersion(binary));
  return asked.get(binary);
}

/** For messages. */
export function oldestWithEphemerals(): string {
  return `Terraform 1.${FIRST_MINOR.Terraform} or newer, OpenTofu 1.${FIRST_MINOR.OpenTofu} or newer`;
}

/** Reads the output of `terraform version` or `tofu version`. */
export function parseVersion(output: string): TerraformVersion | undefined {
  const match = /^(Terraform|OpenTofu) v((\d+)\.(\d+)\.\d+\S*)/m.exec(output);
  if (!match) return undefined;
  const product = match[1] === "OpenTofu" ? "OpenTofu" : "Terraform";
  const major = Number(match[3]);
  return {
    product,
    version: match[2] ?? "",
    hasEphemerals: major > 1 || (major === 1 && Number(match[4]) >= FIRST_MINOR[product]),
  };
}

function askVersion(binary: string): TerraformVersion | undefined {
  // In the project's folder: version managers (tfenv, asdf, mise) choose by a file in it, and would answer for another version elsewhere.
  const answer = spawnSync(binary, ["version"], {
    env: environmentFor(process.env),
    stdio: ["ignore", "pipe", "ignore"],
    encoding: "utf8",
    timeout: LIMIT_MS,
    killSignal: "SIGKILL",
    maxBuffer: 64 * 1024,
    windowsHide: true,
  });
  return answer.status === 0 ? parseVersion(answer.stdout) : undefined;
}

/** What finding a program and a version manager need. Passwords and tokens of the pipeline are not this program's business. */
export function environmentFor(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const passed = Object.entries(environment).filter(
    ([name]) => NEEDED.test(name) && !/TOKEN|SECRET|PASS|KEY|CREDENTIAL/i.test(name),
  );
  return { ...Object.fromEntries(passed), CHECKPOINT_DISABLE: "1" };
}

const NEEDED = /^(?:PATH|PATHEXT|HOME|USERPROFILE|SYSTEMROOT|TMPDIR|TMP|TEMP|(?:XDG|ASDF|MISE|TFENV|TENV|TOFUENV)_\w+)$/i;
