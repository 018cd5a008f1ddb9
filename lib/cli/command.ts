import type { Command } from "commander";
import type { CliSurroundings } from "./surroundings";

/** All that the action of a command is given of its surroundings. */
export interface ActionSurroundings extends CliSurroundings {
  /** Of this package. */
  readonly version: string;
}

/** What a command does: gives back its exit code. */
export type Action<Options> = (
  options: Options,
  operands: readonly string[],
  surroundings: ActionSurroundings,
) => Promise<number>;

/** What a command's declaration is given. */
export interface CommandContext {
  /** A new subcommand, with the settings that all share. */
  readonly add: (name: string) => Command;
  /**
   * The handler of a command, which loads its action when it is called: those of the others are not
   * read. `load` is `() => require("./index")` in the command's folder, whose index is a bundle of
   * its own (lib/build/bundles.mjs). It is not import(): under module node16 TypeScript demands a
   * file extension in it that no test runner here resolves.
   */
  readonly handler: <Options extends object>(
    load: () => { readonly action: Action<Options> },
  ) => (...given: unknown[]) => Promise<void>;
}
