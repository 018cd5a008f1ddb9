import {
  COMMAND_FORM,
  defined,
  IamTokensError,
  ofProcess,
  printable,
  quote,
  type Secret,
  type Text,
  words,
} from "../../tokens";
import { assertAllowed } from "../process/allow-list";
import type { ProcessContext } from "../process/process-context";
import { type Command, type ProgramOutcome, runProgram } from "../process/run-program";
import { masked, rememberSecret, SENSITIVE } from "./known-secrets";
import { commandInMessages } from "./place-in-messages";
import { secretOfBytes } from "./read-secret";
import { type CommandReference, parseCommand, type Reading } from "./secret-reference";

/** How long a command may take. */
const LIMIT_MS = 30_000;

/** How much a command may print. */
const OUTPUT_LIMIT = 64 * 1024;

/** Set to 1, it lets the standard error of a failing command through to Terraform's log. */
const COMMAND_STDERR = "IAM_TOKENS_COMMAND_STDERR";

/**
 * The program and its arguments, if the pipeline's list allows it.
 *
 * @throws ERR_COMMAND_FAILED, ERR_COMMAND_NOT_ALLOWED
 */
export function allowedCommand(
  { place: parts, origin }: CommandReference,
  processContext: ProcessContext,
): Command {
  const command = parseCommand(origin, parts);
  const what = commandInMessages(command[0], origin, processContext);
  assertAllowed("program", command[0], what, processContext);
  return command;
}

/**
 * The secret that a command prints, alone on one line.
 *
 * @throws ERR_COMMAND_FAILED, ERR_CANCELLED, ERR_SECRET_EMPTY, ERR_SECRET_NOT_UTF8
 */
export async function secretOfCommand(
  command: Command,
  origin: Text,
  processContext: ProcessContext,
  reading: Reading,
): Promise<Secret> {
  const bytes = await outputOf(command, origin, processContext, reading);
  const place = words`The output of ${ofProcess(`the command ${quote(command[0], "path")}`)} (${origin})`;
  const remedy = "Give a command that prints the secret alone.";
  if (/^\r?\n?$/.test(bytes.toString("latin1")))
    throw new IamTokensError("ERR_SECRET_EMPTY", words`${place} is empty.`, { remedy });
  const secret = secretOfBytes(place, bytes);
  if (!/[\r\n]/.test(secret.reveal())) return secret;
  throw new IamTokensError("ERR_COMMAND_FAILED", words`${place} has more than one line.`, {
    remedy,
  });
}

/**
 * The standard output of a command, which is a secret: no message contains any of it, nor of its
 * standard error, which is not read unless {@link COMMAND_STDERR} asks for it. The command has the
 * environment and the working folder of the process context, and no input.
 *
 * @param limitMs milliseconds
 * @throws ERR_COMMAND_FAILED, ERR_CANCELLED
 */
export async function outputOf(
  command: Command,
  origin: Text,
  processContext: ProcessContext,
  { signal, log }: Reading,
  limitMs: number = LIMIT_MS,
): Promise<Buffer> {
  const { variables, workingFolder: cwd } = processContext;
  const outcome = await runProgram(command, {
    ...{ cwd, env: terraformsOf(variables), signal, limitMs, limitBytes: OUTPUT_LIMIT },
    // A failing command may print the secret there.
    ...(variables[COMMAND_STDERR] === "1" && { stderr: "pipe" }),
  });
  const { end, by, stdout, stderr } = outcome;
  if (end === "exited" && by === "0") return stdout;
  const subject = commandInMessages(command[0], origin, processContext);
  if (end === "aborted" || end === "interrupted") {
    const why = end === "aborted" ? "Terraform stopped" : `the provider ${by}`;
    throw new IamTokensError("ERR_CANCELLED", words`${subject} was ended: ${why}.`);
  }
  if (stderr.length > 0)
    log("error", "a command for a secret failed", {
      command: masked(String(subject)),
      stderr: withoutOutput(stderr, stdout.toString()),
    });
  const [problem, remedy] = failureOf(outcome, command, `${limitMs / 1000} s`);
  throw new IamTokensError(
    "ERR_COMMAND_FAILED",
    words`${subject} ${problem}.`,
    defined({ remedy }),
  );
}

const HANGS =
  "Run it by hand, without a terminal for input (< /dev/null): it may wait for a question that nobody answers, for instance for a login.";

const HOLDS = "Let what it starts in the background write elsewhere (> /dev/null).";

const NOT_FOUND =
  "Give the path of the program, or correct PATH of the process that runs Terraform. No shell is used: to use its syntax, give a script.";

/** Why a command has no secret, and the next step if it is not that of every command. */
function failureOf(
  { end, by }: ProgramOutcome,
  [program, ...args]: Command,
  limit: string,
): readonly [problem: string, remedy?: string | undefined] {
  const lost = args.length === 0 && /\s/.test(program) ? COMMAND_FORM.remedy : NOT_FOUND;
  switch (end) {
    case "not found":
      return ["is in none of the absolute folders of PATH", NOT_FOUND];
    case "not started":
      if (by === "ENOENT")
        return ["does not exist, or its interpreter or the working folder does not", lost];
      return [`cannot be started (${by})`, by === "EACCES" ? lost : undefined];
    case "late":
      return [`did not end within ${limit}, and was ended`, HANGS];
    case "held":
      return [`ended, but a program that it started held its output for ${limit}`, HOLDS];
    case "verbose":
      return ["printed more than 64 KiB, and was ended"];
    default:
      return [end === "exited" ? `exited with ${by}` : `was ended by ${by}`];
  }
}

/**
 * The standard error of a failing command, for the log: without the lines of its standard output,
 * one of which may be the secret.
 */
function withoutOutput(stderr: Buffer, stdout: string): string {
  // Not a part of a line: the beginning of a secret would not be recognized.
  const whole =
    stderr.length < OUTPUT_LIMIT ? stderr : stderr.subarray(0, stderr.lastIndexOf("\n") + 1);
  let text = whole.toString();
  for (const line of stdout.split(/[\r\n]/).filter((each) => each !== "")) {
    rememberSecret(line);
    text = text.replaceAll(line, SENSITIVE);
  }
  return printable(masked(text).trimEnd().replaceAll("\r\n", "\n"), "lines");
}

/** Variables by which Terraform speaks to a provider. */
const OF_PLUGINS =
  /^(?:PLUGIN_(?:CLIENT_CERT|PROTOCOL_VERSIONS|M(?:IN|AX)_PORT|MULTIPLEX_GRPC)|TF_PLUGIN_MAGIC_COOKIE)$/;

/** The environment of Terraform, from that of the provider. */
function terraformsOf(variables: ProcessContext["variables"]): ProcessContext["variables"] {
  const { IAM_TOKENS_EXTRA_CA_CERTS: extra, ...rest } = variables;
  const own = Object.entries(rest).filter(([name]) => !OF_PLUGINS.test(name));
  // The launcher renames it for the provider; a program in Node.js needs it by its own name.
  return { ...Object.fromEntries(own), ...defined({ NODE_EXTRA_CA_CERTS: extra }) };
}
