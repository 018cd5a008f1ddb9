import { Command, CommanderError } from "commander";
import { IamTokensError, inert, printable, quote, usageErrorOf } from "../tokens";
import { type CliContext, mayColour, type Terminal } from "./cli-context";
import type { CommandContext } from "./command";
import { declareDoctor } from "./doctor/command";
import { declareInstall } from "./install/command";
import { declareIssue } from "./issue/command";
import { declareRevoke } from "./revoke/command";
import { declareRun } from "./run/command";
import { declareSchedule } from "./schedule/command";

/**
 * The commands in the order of the help text: one folder each, with its declaration (command.ts)
 * and its action (index.ts).
 */
const DECLARATIONS: readonly ((context: CommandContext) => void)[] = [
  declareRun,
  declareIssue,
  declareRevoke,
  declareDoctor,
  declareSchedule,
  declareInstall,
];

/**
 * Runs the command `iam-tokens`.
 *
 * @returns the exit code: the command's, 1 if it has failed, 2 for unknown arguments (ERR_USAGE)
 */
export async function runCli(version: string, context: CliContext): Promise<number> {
  // Names in messages and in the summary of run are not ours.
  const stderr: Terminal = {
    ...context.stderr,
    write: (text) => context.stderr.write(inert(text)),
  };
  let exitCode = 0;
  const program = toProgram(version, context, stderr, (code) => {
    exitCode = code;
  });
  try {
    if (context.argv.length === 0) {
      program.outputHelp({ error: true });
      return 2;
    }
    await program.parseAsync([...context.argv], { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return afterCommander(error, stderr);
    stderr.write(`${textOf(error)}\n`);
    return IamTokensError.is(error) && error.code === "ERR_USAGE" ? 2 : 1;
  }
}

function toProgram(
  version: string,
  processContext: CliContext,
  stderr: Terminal,
  ended: (code: number) => void,
): Command {
  const { stdout, env } = processContext;
  const program = new Command(processContext.program)
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
    .exitOverride()
    // Options of this level end before the subcommand: a later --version is not ours.
    .enablePositionalOptions();
  const context: CommandContext = {
    program: processContext.program,
    add: (name) =>
      program.command(name).helpOption("-h, --help", "Print this help.").showSuggestionAfterError(),
    handler: (load) => {
      return async (...given) => {
        // Operands and options come before it, and are available from it.
        const command = given.at(-1) as Command;
        refuseNodeDebug(env);
        ended(
          await load().action(command.opts(), command.args, { ...processContext, stderr, version }),
        );
      };
    },
  };
  for (const declare of DECLARATIONS) declare(context);
  return program;
}

/**
 * With NODE_DEBUG=child_process, Node.js itself prints the environment of each process that it
 * starts, with every secret in it. This was decided at the start of this process and cannot be
 * undone here, so nothing is started.
 */
function refuseNodeDebug({ NODE_DEBUG: sections = "" }: CliContext["env"]): void {
  const telling = sections.split(",").find((section) => {
    const [first = "", ...parts] = section.replace(/[.+?^${}()|[\]\\]/g, "\\$&").split(/\*+/);
    return new RegExp(`^${[first, ...parts].join(".*")}$`, "i").test("child_process");
  });
  if (telling === undefined) return;
  const problem = `The environment variable NODE_DEBUG contains ${quote(telling)}: Node.js would print the whole environment, including secrets.`;
  throw new IamTokensError("ERR_USAGE", problem, {
    remedy: "Unset it, or remove child_process from it.",
  });
}

/** Help and version end the parsing as well; every other end is an error in the arguments. */
function afterCommander(error: CommanderError, stderr: Terminal): number {
  if (error.exitCode === 0) return 0;
  // `iam-tokens help` and the like without a known command have already printed their help.
  if (error.code === "commander.help") return 2;
  stderr.write(`${usageErrorOf(error.message).message}\n`);
  return 2;
}

/**
 * A message without a stack trace. A foreign error may contain a secret, and only its name is
 * printed.
 */
function textOf(error: unknown): string {
  if (IamTokensError.is(error)) return error.message;
  const name = error instanceof Error ? error.name : typeof error;
  return `Internal error in iam-tokens (${printable(name)}). Please report it with the command line that you used.`;
}
