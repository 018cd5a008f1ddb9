import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import { errorCodeOf, IamTokensError, quote } from "../../tokens";

/** How a command has ended. */
interface Ended {
  /**
   * As a shell gives it: 128 + n for signal n, 127 for one that is not found, 126 for one that
   * cannot be run.
   */
  readonly exitCode: number;
  /** Why it was not started. */
  readonly error?: IamTokensError;
}

interface CommandProcess {
  readonly ended: Promise<Ended>;
  kill(signal: NodeJS.Signals): void;
}

/**
 * Starts the command with this process's own input and output, in its process group: to a terminal
 * it is as if it were started by itself.
 */
export function startCommand(
  [file = "", ...args]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  workingFolder: string,
): CommandProcess {
  let child: ChildProcess;
  try {
    child = spawn(file, args, { cwd: workingFolder, env, stdio: "inherit" });
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

/** What a shell makes of the end by a signal. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

function notStarted(file: string, error: unknown): Ended {
  const code = errorCodeOf(error) ?? "";
  const found = code !== "ENOENT" && code !== "ERR_INVALID_ARG_VALUE";
  const why = found
    ? `cannot be run (${code})`
    : "is not found, or what its first line names is not";
  return {
    exitCode: found ? 126 : 127,
    error: new IamTokensError("ERR_COMMAND_NOT_RUN", `The command ${quote(file)} ${why}.`),
  };
}
