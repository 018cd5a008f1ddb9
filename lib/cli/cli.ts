import { Command, CommanderError } from "commander";
import { IamTokensError, printable, quote } from "../tokens";
import type { CommandContext } from "./command";
import { declareDoctor } from "./doctor/command";
import { declareInstall } from "./install/command";
import { declareIssue } from "./issue/command";
import { declareRun } from "./run/command";
import { declareSchedule } from "./schedule/command";
import { type CliSurroundings, mayColour } from "./surroundings";

/**
 * The commands in the order of the help text: one folder each, with its declaration (command.ts)
 * and its action (index.ts).
 */
const DECLARATIONS: readonly ((context: CommandContext) => void)[] = [
  declareRun,
  declareIssue,
  declareDoctor,
  declareSchedule,
  declareInstall,
];

/**
 * Runs the command `iam-tokens`.
 *
 * @returns the exit code: that of the command, 1 when it has failed, 2 for arguments that it does
 * not know (ERR_USAGE)
 */
export async function runCli(version: string, surroundings: CliSurroundings): Promise<number> {
  let exitCode = 0;
  const program = toProgram(version, surroundings, (code) => {
    exitCode = code;
  });
  try {
    if (surroundings.argv.length === 0) {
      program.outputHelp({ error: true });
      return 2;
    }
    await program.parseAsync([...surroundings.argv], { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return afterCommander(error, surroundings);
    surroundings.stderr.write(`${textOf(error)}\n`);
    return IamTokensError.is(error) && error.code === "ERR_USAGE" ? 2 : 1;
  }
}

function toProgram(
  version: string,
  surroundings: CliSurroundings,
  ended: (code: number) => void,
): Command {
  const { stdout, stderr, env } = surroundings;
  const program = new Command("iam-tokens")
    .description(
      "Authentication tokens for Terraform: one provider for a whole pipeline, and schedules that leave no gap.",
    )
    .usage("COMMAND [options]")
    .version(version, "-V, --version", "Print the version.")
    .helpOption("-h, --help", "Print this help.")
    .helpCommand("help [command]", "Print the help of a command.")
    .configureOutput({
      writeOut: stdout.write,
      writeErr: stderr.write,
      outputError: () => {},
      getOutHelpWidth: () => stdout.columns ?? 100,
      getErrHelpWidth: () => stderr.columns ?? 100,
      getOutHasColors: () => mayColour(stdout, env),
      getErrHasColors: () => mayColour(stderr, env),
    })
    .exitOverride();
  const context: CommandContext = {
    add: (name) =>
      program.command(name).helpOption("-h, --help", "Print this help.").showSuggestionAfterError(),
    handler: (load) => {
      return async (...given) => {
        // Operands and options come before it, and can be had of it.
        const command = given.at(-1) as Command;
        refuseNodeDebug(env);
        ended(await load().action(command.opts(), command.args, { ...surroundings, version }));
      };
    },
  };
  for (const declare of DECLARATIONS) declare(context);
  return program;
}

/**
 * With NODE_DEBUG=child_process Node.js itself prints the environment of each process that is
 * started, with every secret in it. That was decided when this process began: nothing here can take
 * it back, so nothing is started.
 */
function refuseNodeDebug({ NODE_DEBUG: sections = "" }: CliSurroundings["env"]): void {
  const telling = sections.split(",").find((section) => {
    const [first = "", ...parts] = section.replace(/[.+?^${}()|[\]\\]/g, "\\$&").split("*");
    return new RegExp(`^${[first, ...parts].join(".*")}$`, "i").test("child_process");
  });
  if (telling === undefined) return;
  const problem = `The environment variable NODE_DEBUG has ${quote(telling)}: Node.js would print the whole environment, with its secrets.`;
  throw new IamTokensError("ERR_USAGE", problem, {
    remedy: "Unset it, or leave child_process out of it.",
  });
}

/** Help and version end the parsing too; all else is a mistake in the arguments. */
function afterCommander(error: CommanderError, { stderr }: CliSurroundings): number {
  if (error.exitCode === 0) return 0;
  // `iam-tokens help` and the like without a known command have printed their help already.
  if (error.code === "commander.help") return 2;
  const problem = error.message.replace(/^error: /, "").replaceAll(/\s*\n\s*/g, " ");
  const sentence = `${problem.charAt(0).toUpperCase()}${problem.slice(1)}`.replace(
    /[^.?)]$/,
    "$&.",
  );
  stderr.write(`${new IamTokensError("ERR_USAGE", printable(sentence)).message}\n`);
  return 2;
}

/**
 * A message without a stack trace. What is no error of ours may hold anything, and is told by its
 * name alone.
 */
function textOf(error: unknown): string {
  if (IamTokensError.is(error)) return error.message;
  const name = error instanceof Error ? error.name : typeof error;
  return `iam-tokens has met a fault of its own (${printable(name)}). Report it with the command line that was used.`;
}
