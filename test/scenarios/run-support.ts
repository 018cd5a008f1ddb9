import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type CommandResult, type RunningCommand, startCommand } from "../support/command";
import { packageRoot } from "../support/project";
import type { Scratch } from "../support/scratch";
import { terraformEnvironment } from "../support/terraform";

/** The command as it is installed. */
export const IAM_TOKENS = join(packageRoot, "dist/cli/main.js");

export interface RunOptions {
  readonly scratch: Scratch;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Starts `iam-tokens` as the leader of its own process group: a test can signal the group as a
 * terminal does.
 */
export function startIamTokens(
  args: readonly string[],
  { scratch, cwd, env }: RunOptions,
): RunningCommand {
  return startCommand(process.execPath, [IAM_TOKENS, ...args], {
    cwd: cwd ?? scratch.folder,
    env: { ...terraformEnvironment(scratch), ...env },
  });
}

/** Runs `iam-tokens` to its end. */
export function iamTokens(args: readonly string[], options: RunOptions): Promise<CommandResult> {
  return startIamTokens(args, options).finished;
}

/** The folders of providers that are running, or have been left. */
export function socketFolders({ tmp }: Scratch): readonly string[] {
  return readdirSync(tmp).filter((name) => name.startsWith("tfp-"));
}
