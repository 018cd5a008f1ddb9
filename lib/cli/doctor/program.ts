import { spawn } from "node:child_process";

/** What became of a program. */
export type ProgramOutcome =
  | {
      readonly kind: "ended";
      readonly exitCode: number | null;
      readonly stdout: string;
      readonly stderr: string;
    }
  | { readonly kind: "missing" }
  | { readonly kind: "not started"; readonly code: string }
  | { readonly kind: "too late" };

interface ProgramOptions {
  readonly cwd: string;
  /** All of its environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
}

/** Of each stream; what is more ends the program. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/**
 * Runs a program to its end, or to that of its time: then it is killed, with all that it has
 * started. It is asked for nothing.
 */
export function runProgram(
  file: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<ProgramOutcome> {
  return new Promise((resolve) => {
    // A group of its own, which can be killed as one: version managers are scripts that start the
    // program proper.
    const child = spawn(file, args, {
      cwd: options.cwd,
      env: { ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const printed = { stdout: "", stderr: "" };
    const kill = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // It is gone.
      }
    };
    // Out of the terminal's group, it hears nothing of a Ctrl-C.
    const onSignal = (signal: NodeJS.Signals) => {
      kill();
      stop();
      process.kill(process.pid, signal);
    };
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
    const stop = () => {
      clearTimeout(timer);
      for (const signal of signals) process.off(signal, onSignal);
    };
    const settle = (outcome: ProgramOutcome) => {
      stop();
      child.stdout.destroy();
      child.stderr.destroy();
      resolve(outcome);
    };
    const tooLate = () => {
      kill();
      settle({ kind: "too late" });
    };
    const timer = setTimeout(tooLate, options.timeoutMs);
    for (const signal of signals) process.on(signal, onSignal);
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (chunk: string) => {
        printed[name] += chunk;
        if (printed[name].length > MAX_CHARACTERS) tooLate();
      });
    }
    child.on("error", (error: NodeJS.ErrnoException) =>
      settle(
        error.code === "ENOENT"
          ? { kind: "missing" }
          : { kind: "not started", code: error.code ?? "unknown error" },
      ),
    );
    child.on("close", (exitCode) => settle({ kind: "ended", exitCode, ...printed }));
  });
}
