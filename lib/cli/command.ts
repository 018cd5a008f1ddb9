import type { Command } from "commander";
import type { CommandContext } from "./cli-context";

/** The exit codes of all commands; that of `run` is its command's. */
export const EXIT = { ok: 0, failed: 1, wrongUse: 2 } as const;

/** An option: its flags, its meaning, and what else there is to know. */
type OptionRow = readonly [
  flags: string,
  meaning: string,
  more?: {
    /** Options that cannot be given with it, by their names in the action. */
    readonly conflicts?: readonly string[];
    readonly choices?: readonly string[];
    /** It may be repeated: its value is a list. */
    readonly repeats?: true;
  },
];

/** A subcommand: what it takes, and what it does. */
export interface CliCommand {
  readonly description: string;
  readonly operand?: readonly [name: string, meaning: string];
  /** Whether its own options end at the first word of the operand. */
  readonly passesThrough?: true;
  readonly options: readonly OptionRow[];
  /**
   * Examples, and the exit codes.
   *
   * @param called the command as the user calls it: `npx --no-install cdktf-iam-tokens run`
   */
  readonly help: (called: string) => string;
  /** Hides what it has read that is secret. @default - it reads no secrets */
  readonly masked?: (text: string) => string;
  /** Whether its output is a token, which is then not hidden there. */
  readonly printsToken?: true;
  /**
   * Runs it, and returns its exit code.
   *
   * @param command has its options and operands
   */
  readonly action: (command: Command, context: CommandContext) => Promise<number>;
}

/** Adds what a command takes to commander's own. */
export function declare(command: Command, called: string, definition: CliCommand): Command {
  const { description, operand, passesThrough = false, options, help } = definition;
  command
    .description(description)
    .addHelpText("after", `\nExamples:\n${help(called)}`)
    .allowExcessArguments(false)
    .passThroughOptions(passesThrough);
  if (operand !== undefined) command.argument(...operand);
  for (const [flags, meaning, { conflicts = [], choices, repeats } = {}] of options) {
    const option = command.createOption(flags, meaning).conflicts([...conflicts]);
    if (choices !== undefined) option.choices(choices);
    if (repeats)
      option.argParser((value: string, before: readonly string[] = []) => [...before, value]);
    command.addOption(option);
  }
  return command;
}
