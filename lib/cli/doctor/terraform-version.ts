import { type ProgramOutcome, runProgram } from "./program";

/** Terraform or OpenTofu, as its `version` command tells. */
interface TerraformVersion {
  readonly product: "Terraform" | "OpenTofu";
  readonly version: string;
  readonly hasEphemerals: boolean;
  readonly hasWriteOnly: boolean;
}

/** The first minor version of 1 that has ephemeral resources. */
const FIRST_MINOR = { Terraform: 10, OpenTofu: 11 } as const;

/** The first one of either that has write-only arguments. */
const FIRST_MINOR_WITH_WRITE_ONLY = 11;

/** For messages. */
export function oldestWithEphemerals(): string {
  return `Terraform 1.${FIRST_MINOR.Terraform} or newer, OpenTofu 1.${FIRST_MINOR.OpenTofu} or newer`;
}

/** Reads the output of `terraform version` or `tofu version`. */
export function parseVersion(output: string): TerraformVersion | undefined {
  const match = /^(Terraform|OpenTofu) v((\d+)\.(\d+)\.\d+\S*)\r?$/m.exec(output);
  if (!match) return undefined;
  const product = match[1] === "OpenTofu" ? "OpenTofu" : "Terraform";
  const isFrom = (minor: number): boolean =>
    Number(match[3]) > 1 || (match[3] === "1" && Number(match[4]) >= minor);
  return {
    product,
    version: match[2] ?? "",
    hasEphemerals: isFrom(FIRST_MINOR[product]),
    hasWriteOnly: isFrom(FIRST_MINOR_WITH_WRITE_ONLY),
  };
}

/**
 * What finding a program and a version manager need. Passwords and tokens of the pipeline are not
 * this program's business.
 */
export function environmentFor(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const passed = Object.entries(environment).filter(
    ([name]) => NEEDED.test(name) && !/TOKEN|SECRET|PASS|KEY|CREDENTIAL/i.test(name),
  );
  return { ...Object.fromEntries(passed), CHECKPOINT_DISABLE: "1" };
}

const NEEDED =
  /^(?:PATH|PATHEXT|HOME|USERPROFILE|SYSTEMROOT|TMPDIR|TMP|TEMP|(?:XDG|ASDF|MISE|TFENV|TENV|TOFUENV)_\w+)$/i;

/** A program that was asked for its version. */
export interface Terraform {
  readonly binary: string;
  /** Undefined when it does not tell. */
  readonly version: TerraformVersion | undefined;
  readonly outcome: ProgramOutcome;
}

/** Longest wait for the version, in milliseconds. */
const VERSION_MS = 10_000;

/**
 * As the CDKTF command line chooses it; where there is no terraform, a tofu will be what is used.
 */
export async function askVersion(
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): Promise<Terraform> {
  const ask = async (binary: string): Promise<Terraform> => {
    const outcome = await runProgram(binary, ["version"], {
      cwd,
      env: environmentFor({ ...env }),
      timeoutMs: VERSION_MS,
    });
    const version =
      outcome.kind === "ended" && outcome.exitCode === 0 ? parseVersion(outcome.stdout) : undefined;
    return { binary, version, outcome };
  };
  const named = env.TERRAFORM_BINARY_NAME;
  const first = await ask(named || "terraform");
  if (named || first.outcome.kind !== "missing") return first;
  const tofu = await ask("tofu");
  return tofu.outcome.kind === "missing" ? first : tofu;
}
