import { type ChildProcess, spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { pidOf } from "./processes";

interface CommandOptions {
  readonly cwd: string;
  /** The whole environment of the command; nothing is inherited. */
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /**
   * After this time in milliseconds, the whole process group is killed, and `finished` rejects.
   * Default: 120,000.
   */
  readonly timeoutMs?: number;
}

/** Result of a command that has ended. */
export interface CommandResult {
  /** Null if a signal has ended it. */
  readonly exitCode: number | null;
  readonly endedBy: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Both, in the order of arrival, without colours. */
  readonly text: string;
  readonly durationMs: number;
}

/** A command that is running as the leader of its own process group. */
export type RunningCommand = ReturnType<typeof startCommand>;

/**
 * Starts a command without a shell, without standard input and without this process's environment.
 */
export function startCommand(
  file: string,
  args: readonly string[],
  { cwd, env, timeoutMs = 120_000 }: CommandOptions,
) {
  const started = performance.now();
  const child: ChildProcess = spawn(file, args, {
    cwd,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "", both: "" };
  const listeners = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (chunk: string) => {
      output[name] += chunk;
      output.both += chunk;
      for (const listener of listeners) listener();
    });
  }
  /** The output so far, without colours. */
  const text = () => stripVTControlCharacters(output.both);
  /** Sends a signal to the whole group, as a terminal does for Ctrl-C. */
  const signalGroup = (signal: NodeJS.Signals) => {
    // A missing pid would mean this very group.
    if (child.pid === undefined) return;
    const pid = child.pid;
    // Windows has no groups.
    ignoreGone(() => process.kill(process.platform === "win32" ? pid : -pid, signal));
  };
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    signalGroup("SIGKILL");
  }, timeoutMs);
  const finished = new Promise<CommandResult>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exitCode, endedBy) => {
      if (late)
        return reject(
          new Error(
            `${file} ${args.join(" ")} has not ended within ${timeoutMs} ms:\n${tail(text())}`,
          ),
        );
      resolve({
        exitCode,
        endedBy,
        ...output,
        text: text(),
        durationMs: performance.now() - started,
      });
    });
  }).finally(() => clearTimeout(timer));
  // Callers that await it get the rejection; others may ignore it.
  finished.catch(() => {});
  return {
    get pid() {
      return pidOf(child);
    },
    finished,
    text,
    /** Resolves as soon as the pattern has been printed; rejects if the command ends without it. */
    printed: (pattern: RegExp) =>
      new Promise<void>((resolve, reject) => {
        const look = () => {
          if (!pattern.test(text())) return false;
          listeners.delete(look);
          resolve();
          return true;
        };
        if (look()) return;
        listeners.add(look);
        const missing = () =>
          look() || reject(new Error(`${pattern} was not printed:\n${tail(text())}`));
        finished.then(missing, missing);
      }),
    signalGroup,
    /** Sends a signal to the command alone. */
    signalAlone: (signal: NodeJS.Signals) => ignoreGone(() => child.kill(signal)),
  };
}

/**
 * Runs a command to its end, by default with this process's environment: it has settings and caches
 * of package managers and compilers. A failure is an error with its output.
 */
export async function succeed(
  file: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const timeoutMs = 600_000;
  const { exitCode, stdout, text } = await startCommand(file, args, { cwd, env, timeoutMs })
    .finished;
  if (exitCode !== 0) throw new Error(`${file} ${args.join(" ")} ended with ${exitCode}:\n${text}`);
  return stdout;
}

function ignoreGone(send: () => void): void {
  try {
    send();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function tail(text: string): string {
  return text.slice(-4_000);
}
