import { Command, CommanderError } from "commander";
import {
  IamTokensError,
  OWN_COMMAND,
  printable,
  quote,
  type Secret,
  usageErrorOf,
} from "../tokens";
import type { CliContext, Terminal } from "./cli-context";
import { type CliCommand, declare, EXIT } from "./command";

interface Listed {
  readonly summary: string;
  /**
   * `require` of the command's folder, which is a separate bundle (lib/build/bundles.mjs): the
   * others are not read. Not import(): with the module setting node16, TypeScript demands a file
   * extension that no test runner here resolves.
   */
  readonly load: () => CliCommand;
}

/** The commands in the order of the help text; docs/api/reference.md lists them as well. */
export const COMMANDS: Readonly<Record<string, Listed>> = {
  run: {
    summary: "Runs a command with one provider for all Terraform processes in it.",
    load: () => require("./run").command,
  },
  issue: {
    summary: "Issues one token, for scripts.",
    load: () => require("./issue").command,
  },
  revoke: {
    summary: "Revokes a token, or all tokens in a state.",
    load: () => require("./revoke-verify").revoke,
  },
  verify: {
    summary: "Asks whether the tokens in a state are still valid.",
    load: () => require("./revoke-verify").verify,
  },
  doctor: {
    summary: "Finds problems before a run, and names the fixes.",
    load: () => require("./doctor").command,
  },
  schedule: {
    summary: "Checks whether a schedule of re-applies ever leaves an expired token in use.",
    load: () => require("./schedule").command,
  },
  install: {
    summary: "Installs the provider into a filesystem mirror, for plain HCL.",
    load: () => require("./install").command,
  },
};

/**
 * Runs the command `iam-tokens`.
 *
 * @returns the exit code: the command's, 1 if it has failed, 2 for unknown arguments (ERR_USAGE)
 */
export async function runCli(context: CliContext): Promise<number> {
  const printed = new Printed(context);
  const { stderr } = printed;
  let exitCode: number = EXIT.ok;
  const program = toProgram(context, printed, (code) => {
    exitCode = code;
  });
  try {
    if (context.argv.length > 0) await program.parseAsync([...context.argv], { from: "user" });
    else program.help({ error: true });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return afterCommander(error, stderr);
    stderr.write(`${textOf(error)}\n`);
    return IamTokensError.is(error) && error.code === "ERR_USAGE" ? EXIT.wrongUse : EXIT.failed;
  }
}

/** The one exit of what commands print. */
class Printed {
  /** A command's secrets are known to its own bundle. */
  command: CliCommand | undefined;
  readonly stdout: Terminal;
  readonly stderr: Terminal;

  constructor({ stdout, stderr }: CliContext) {
    const masked = (text: string) => this.command?.masked?.(text) ?? text;
    const write = (text: string) =>
      stdout.write(this.command?.printsToken === true ? text : masked(text));
    this.stdout = { ...stdout, write };
    // Messages and summaries contain names that others chose: CI commands in them are escaped.
    this.stderr = { ...stderr, write: (text) => stderr.write(printable(masked(text), "lines")) };
  }
}

function toProgram(context: CliContext, printed: Printed, ended: (code: number) => void): Command {
  const { version, argv, env } = context;
  const { stdout, stderr } = printed;
  const program = new Command(OWN_COMMAND)
    .description(
      "Authentication tokens for Terraform: one provider for a whole pipeline, and schedules that leave no gap.",
    )
    .usage("COMMAND [options]")
    .version(version)
    .configureOutput({
      writeOut: stdout.write,
      writeErr: stderr.write,
      outputError: () => {},
    })
    .exitOverride()
    // Options of this level end before the subcommand: a later --version is not ours.
    .enablePositionalOptions();
  for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
    const command = program.command(name).summary(summary);
    // As the first word, or after "help".
    if (!argv.slice(0, 2).includes(name)) continue;
    const listed = load();
    declare(command, `${OWN_COMMAND} ${name}`, listed).action(async () => {
      refuseNodeDebug(env);
      const mask = (secret: Secret) => {
        // A job reads the line from the step's output. A file would keep the token.
        if (env.GITHUB_ACTIONS === "true" && !context.stderr.isFile)
          context.stderr.write(`::add-mask::${secret.reveal().replaceAll("%", "%25")}\n`);
      };
      // The spread calls the getter of the working folder, which throws if the folder is gone.
      printed.command = listed;
      ended(await listed.action(command, { ...context, stdout, stderr, mask }));
    });
  }
  return program;
}

/**
 * With NODE_DEBUG, Node.js itself prints what it handles: the environment of each process that it
 * starts (child_process), each chunk that is read (stream). This was decided at the start of this
 * process and cannot be undone here, so nothing is read or started.
 */
function refuseNodeDebug({ NODE_DEBUG: sections }: CliContext["env"]): void {
  if (!sections) return;
  throw new IamTokensError(
    "ERR_USAGE",
    `The environment variable NODE_DEBUG is ${quote(sections)}: Node.js would print what it handles, secrets included.`,
    { remedy: "Unset it for this command." },
  );
}

/** Help and version end the parsing as well; every other end is an error in the arguments. */
function afterCommander(error: CommanderError, stderr: Terminal): number {
  if (error.exitCode === 0) return EXIT.ok;
  // `iam-tokens`, `iam-tokens help x` and the like have already printed their help.
  if (error.code !== "commander.help") stderr.write(`${usageErrorOf(error.message).message}\n`);
  return EXIT.wrongUse;
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
