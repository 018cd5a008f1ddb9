import type { Command } from "commander";
import type { CliContext } from "./cli-context";

/** The process, for the action of a command. */
export interface ActionContext extends CliContext {
  /** Of this package. */
  readonly version: string;
}

/** Runs a command and returns its exit code. */
export type Action<Options> = (
  options: Options,
  operands: readonly string[],
  context: ActionContext,
) => Promise<number>;

/** Context of a command's declaration. */
export interface CommandContext {
  /** The command as the user calls it. */
  readonly program: string;
  /** A new subcommand with the common settings. */
  readonly add: (name: string) => Command;
  /**
   * The handler of a command, which loads its action when it is called: those of the other commands
   * are not read. `load` is `() => require("./index")` in the command's folder, whose index is a
   * separate bundle (lib/build/bundles.mjs). Not import(): with the module setting node16,
   * TypeScript demands a file extension that no test runner here resolves.
   */
  readonly handler: <Options extends object>(
    load: () => { readonly action: Action<Options> },
  ) => (...given: unknown[]) => Promise<void>;
}
