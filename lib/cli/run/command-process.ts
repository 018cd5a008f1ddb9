import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import { isatty } from "node:tty";
import { errorCodeOf, IamTokensError, quote } from "../../tokens";

/** The end of a command. */
interface Ended {
  /**
   * A shell's exit code: 128 + n for signal n, 127 if it was not found, 126 if it cannot be
   * executed.
   */
  readonly exitCode: number;
  /** Why it was not started. */
  readonly error?: IamTokensError;
}

/** Ignores SIGHUP, and the command with it. Not `nohup`: that of macOS refuses without a console. */
const IGNORING_HANGUP = ["/bin/sh", "-c", `trap '' HUP; exec "$0" "$@"`];

interface CommandProcess {
  readonly ended: Promise<Ended>;
  kill(signal: NodeJS.Signals): void;
}

/**
 * Starts the command with this process's own input and output, in its process group: for a
 * terminal, there is no difference.
 *
 * Node.js resets ignored signals, its own and its children's: under `nohup`, Terraform would die
 * with the terminal, before it saves the state. Node.js has reset an ignored SIGHUP before this is
 * called: a process whose output is no terminal, as under `nohup`, is treated as if SIGHUP were
 * ignored.
 */
export function startCommand(
  given: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  workingFolder: string,
): CommandProcess {
  const [file = ""] = given;
  const outlives = !isatty(1) && !isatty(2);
  const [program = "", ...args] = outlives ? [...IGNORING_HANGUP, ...given] : given;
  let child: ChildProcess;
  try {
    child = spawn(program, args, { cwd: workingFolder, env, stdio: "inherit" });
  } catch (error) {
    // An empty name, or one with a zero byte.
    return { ended: Promise.resolve(notStarted(file, error)), kill: () => {} };
  }
  const ended = new Promise<Ended>((resolve) => {
    child.once("error", (error) => {
      if (child.pid === undefined) resolve(notStarted(file, error));
    });
    child.once("exit", (code, signal) =>
      resolve({ exitCode: signal === null ? (code ?? 0) : exitCodeOf(signal) }),
    );
  });
  return { ended, kill: (signal) => void child.kill(signal) };
}

/** A shell's exit code for an end by a signal. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

function notStarted(file: string, error: unknown): Ended {
  const code = errorCodeOf(error) ?? "";
  const found = code !== "ENOENT" && code !== "ERR_INVALID_ARG_VALUE";
  const why = found
    ? `cannot be run (${code})`
    : "is not found, or the interpreter in its first line is not";
  return {
    exitCode: found ? 126 : 127,
    error: new IamTokensError("ERR_COMMAND_NOT_RUN", `The command ${quote(file)} ${why}.`),
  };
}
