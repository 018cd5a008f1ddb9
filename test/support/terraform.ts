import { findProgram } from "../../lib/provider/process/find-program";
import { startCommand } from "./command";
import type { Scratch } from "./scratch";

export interface TerraformOptions {
  readonly scratch: Scratch;
  /** Added to the environment, which is otherwise new (see {@link terraformEnvironment}). */
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds. Default: 120,000. */
  readonly timeoutMs?: number;
}

/** The tests' Terraform (or OpenTofu). */
export function terraformBinary(): string {
  return process.env.TERRAFORM_BINARY_NAME || "terraform";
}

/** Whether there is a Terraform or OpenTofu here. */
export function hasTerraform(): boolean {
  return findProgram(terraformBinary(), process.env.PATH) !== undefined;
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

/** Starts Terraform in its own process group, to which a test can send a Ctrl-C. */
export function startTerraform(
  cwd: string,
  args: readonly string[],
  { scratch, env, ...rest }: TerraformOptions,
) {
  return startCommand(terraformBinary(), args, {
    ...rest,
    cwd,
    env: { ...terraformEnvironment(scratch), ...env },
  });
}
