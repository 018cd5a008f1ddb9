import { join } from "node:path";
import { mayHang } from "./files";
import { type ProgramOutcome, runProgram } from "./program";

/** Terraform or OpenTofu, from its `version` command. */
interface TerraformVersion {
  readonly product: "Terraform" | "OpenTofu";
  readonly version: string;
  readonly hasEphemerals: boolean;
  readonly hasWriteOnly: boolean;
}

/** The first minor version of 1 with ephemeral resources. */
const FIRST_MINOR = { Terraform: 10, OpenTofu: 11 } as const;

/** The first one of either with write-only arguments. */
const FIRST_MINOR_WITH_WRITE_ONLY = 11;

/** For messages. */
export function oldestWithEphemerals(): string {
  return `Terraform 1.${FIRST_MINOR.Terraform} or newer, OpenTofu 1.${FIRST_MINOR.OpenTofu} or newer`;
}

/** Reads the output of `terraform version` or `tofu version`. */
export function parseVersion(output: string): TerraformVersion | undefined {
  const match = /^(Terraform|OpenTofu) v((\d+)\.(\d+)\.\d+(?:[^\s\d]\S*)?)\r?$/m.exec(output);
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
 * Variables that finding a program, a version manager and Terraform's command line need. Other
 * programs must not get the pipeline's passwords and tokens.
 */
export function environmentFor(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const passed = Object.entries(environment).filter(
    ([name]) =>
      NEEDED.some((names) => names.test(name)) && !/TOKEN|SECRET|PASS|KEY|CREDENTIAL/i.test(name),
  );
  return { ...Object.fromEntries(passed), CHECKPOINT_DISABLE: "1" };
}

const NEEDED = [
  /^(?:PATH|PATHEXT|HOME|USERPROFILE|SYSTEMROOT|TMPDIR|TMP|TEMP|APPDATA)$/i,
  /^(?:TF_CLI_CONFIG_FILE|TERRAFORM_CONFIG|TF_PLUGIN_CACHE_DIR)$/i,
  /^(?:XDG|ASDF|MISE|TFENV|TENV|TOFUENV)_\w+$/i,
];

/** The program that `version` was run with. */
export interface Terraform {
  readonly binary: string;
  /** Undefined if the output does not contain it. */
  readonly version: TerraformVersion | undefined;
  readonly outcome: ProgramOutcome | NotTried;
}

/** It was not run, because it would wait for this file, or read it without an end. */
interface NotTried {
  readonly kind: "not tried";
  readonly file: string;
}

/** Time limit for the version, in milliseconds. */
const VERSION_MS = 10_000;

/**
 * The CDKTF command line's choice; without a terraform, tofu is used.
 */
export async function readTerraformVersion(
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
  const file = join(cwd, ".terraform.lock.hcl");
  if (mayHang(file)) {
    const outcome = { kind: "not tried", file } as const;
    return { binary: named || "terraform", version: undefined, outcome };
  }
  const first = await ask(named || "terraform");
  if (named || first.outcome.kind !== "missing") return first;
  const tofu = await ask("tofu");
  return tofu.outcome.kind === "missing" ? first : tofu;
}
