import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { win32 } from "node:path";
import { takeVariables } from "../../provider/process/process-context";

/** Outcome of a program. */
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
  /** Its complete environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
}

/** Limit of each stream; above it, the program is ended. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/**
 * Runs a program to its end or its time limit: it is then killed, with all processes that it has
 * started. It gets no input.
 */
export function runProgram(
  file: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<ProgramOutcome> {
  const found = process.platform === "win32" ? fileOnWindows(file, options.env) : file;
  if (found === undefined) return Promise.resolve({ kind: "missing" });
  return new Promise((resolve) => {
    // A process group of its own, which can be killed as a whole: version managers are scripts that
    // start the real program.
    const child = spawn(found, args, {
      cwd: options.cwd,
      env: { ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
      // On Windows this would open a window, and there are no groups.
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    const printed = { stdout: "", stderr: "" };
    const kill = () => {
      try {
        if (process.platform === "win32") child.kill();
        else if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // It has gone.
      }
    };
    // Outside of the terminal's group, it gets no Ctrl-C.
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

/**
 * The file of a program, searched only in the absolute folders of PATH, like Node.js by the
 * launcher. Windows would search the working folder first: that is the project's, and nobody wants
 * to run a node.exe that came with it.
 */
function fileOnWindows(name: string, env: ProgramOptions["env"]): string | undefined {
  if (/[\\/]/.test(name)) return name;
  const names = [...(name.includes(".") ? [name] : []), `${name}.com`, `${name}.exe`];
  return (takeVariables(env, "win32").PATH ?? "")
    .split(";")
    .map((folder) => folder.replaceAll('"', ""))
    .filter(win32.isAbsolute)
    .flatMap((folder) => names.map((each) => `${folder}/${each}`))
    .find((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
}
