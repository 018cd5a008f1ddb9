import { spawnSync } from "node:child_process";
import { type CommandResult, type RunningCommand, startCommand } from "./command";
import { makeScratch, type Scratch, withScratch } from "./scratch";

export interface TerraformOptions {
  /**
   * Added to the environment, which is otherwise new (see {@link terraformEnvironment}).
   */
  readonly env?: Readonly<Record<string, string>>;
  /** Home and temporary folder to use; a new scratch by default. */
  readonly scratch?: Scratch;
  /** Default: the program in TERRAFORM_BINARY_NAME, otherwise `terraform`. */
  readonly binary?: string;
  /** Milliseconds. Default: 120,000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** The tests' Terraform (or OpenTofu). */
export function terraformBinary(): string {
  return process.env.TERRAFORM_BINARY_NAME || "terraform";
}

let found: boolean | undefined;

/** Whether there is a Terraform or OpenTofu here. */
export function hasTerraform(): boolean {
  if (found === undefined) {
    const scratch = makeScratch();
    try {
      found =
        spawnSync(terraformBinary(), ["version"], {
          env: terraformEnvironment(scratch),
          cwd: scratch.folder,
        }).status === 0;
    } finally {
      scratch.remove();
    }
  }
  return found;
}

/** Why a test that needs one is skipped. */
export function noTerraform(): string {
  return `${terraformBinary()} is not here`;
}

/**
 * The environment of a Terraform without anything from this machine: no CLI configuration, no calls
 * home, no questions.
 */
export function terraformEnvironment(scratch: Scratch): Record<string, string> {
  return { ...scratch.env, CHECKPOINT_DISABLE: "1", TF_IN_AUTOMATION: "1", TF_INPUT: "0" };
}

/** Runs Terraform to its end. An exit code other than 0 is a result, not an error. */
export function runTerraform(
  cwd: string,
  args: readonly string[],
  options: TerraformOptions = {},
): Promise<CommandResult> {
  return withScratch(
    options.scratch,
    (scratch) => startTerraform(cwd, args, { ...options, scratch }).finished,
  );
}

/** Starts Terraform in its own process group, to which a test can send a Ctrl-C. */
export function startTerraform(
  cwd: string,
  args: readonly string[],
  { scratch, env, binary, ...rest }: TerraformOptions & { readonly scratch: Scratch },
): RunningCommand {
  return startCommand(binary ?? terraformBinary(), args, {
    ...rest,
    cwd,
    env: { ...terraformEnvironment(scratch), ...env },
  });
}
