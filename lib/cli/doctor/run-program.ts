import { spawn } from "node:child_process";
import { findProgram } from "../../provider/process/find-program";
import { takeVariables } from "../../provider/process/process-context";

/** The end of a program. */
interface ProgramOutcome {
  /** Whether it ended with exit code 0. */
  readonly succeeded: boolean;
  /** How it ended: `exit code 3`, `SIGKILL`, `EACCES`. */
  readonly how: string;
  readonly stdout: string;
  readonly stderr: string;
}

interface ProgramOptions {
  readonly cwd: string;
  /** Its complete environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
}

/** What is kept of each stream: its end. */
const KEPT_CHARACTERS = 1_000_000;

/**
 * Runs a program, which gets no input, to its end or its time limit: it is then killed, with all
 * processes that it has started, as at the end of this process.
 *
 * @returns undefined if it is not in PATH
 */
export async function runProgram(
  name: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<ProgramOutcome | undefined> {
  const file = findProgram(name, takeVariables(options.env).PATH);
  if (file === undefined) return undefined;
  const isWindows = process.platform === "win32";
  // A process group of its own, which can be ended as a whole: version managers are scripts that
  // start the real program. On Windows this would open a window, and there are no groups.
  const child = spawn(file, args, {
    cwd: options.cwd,
    env: { ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: !isWindows,
    windowsHide: true,
  });
  let late = false;
  const kill = () => {
    try {
      if (isWindows || child.pid === undefined) child.kill("SIGKILL");
      else process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended.
    }
    // One that has left the group may hold them.
    child.stdout.destroy();
    child.stderr.destroy();
  };
  const timer = setTimeout(() => {
    late = true;
    kill();
  }, options.timeoutMs);
  // Before the removal of a folder in which it works.
  process.prependOnceListener("exit", kill);
  const printed = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const)
    child[stream].setEncoding("utf8").on("data", (chunk: string) => {
      printed[stream] = (printed[stream] + chunk).slice(-KEPT_CHARACTERS);
    });
  const how = await new Promise<string>((resolve) => {
    child.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.name));
    child.once("close", (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  clearTimeout(timer);
  process.off("exit", kill);
  const end = late ? `no end within ${options.timeoutMs / 1000} s` : how;
  return { succeeded: end === "exit code 0", how: end, ...printed };
}
