import type { Command } from "commander";
import type { CliContext } from "./cli-context";

/** A subcommand: what it takes, and what it does. */
export interface CliCommand<Options> {
  /**
   * Adds description, arguments and options.
   *
   * @param called the command as the user calls it: `npx cdktf-iam-tokens run`
   */
  readonly declare: (command: Command, called: string) => void;
  /** Runs it and returns its exit code. */
  readonly action: (
    options: Options,
    operands: readonly string[],
    context: CliContext,
  ) => Promise<number>;
}
