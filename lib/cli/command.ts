import type { Command } from "commander";
import type { CliContext } from "./cli-context";

/** Runs a command and returns its exit code. */
export type Action<Options> = (
  options: Options,
  operands: readonly string[],
  context: CliContext,
) => Promise<number>;

/** A subcommand: what it takes, and what it does. */
export interface CliCommand<Options> {
  /**
   * Adds description, arguments and options.
   *
   * @param called the command as the user calls it: `npx cdktf-iam-tokens run`
   */
  readonly declare: (command: Command, called: string) => void;
  readonly action: Action<Options>;
}
