import { spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { posix, resolve, win32 } from "node:path";
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
  /** Called after a signal has ended the program, before it ends this process. */
  readonly onSignal?: () => void;
}

/** Limit of each stream; above it, the program is ended. */
const MAX_CHARACTERS = 16 * 1024 * 1024;
/** Time for a program, and all that it has started, to end after SIGTERM. */
const GRACE_MS = 2_000;
const POLL_MS = 20;

/**
 * Runs a program to its end or its time limit: it is then ended, with all processes that it has
 * started. It gets no input.
 */
export function runProgram(
  name: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<ProgramOutcome> {
  const file = findProgram(name, options);
  if (file === undefined) return Promise.resolve({ kind: "missing" });
  return new Promise((resolve) => {
    // A process group of its own, which can be ended as a whole: version managers are scripts that
    // start the real program.
    const child = spawn(file, args, {
      cwd: options.cwd,
      env: { ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
      // On Windows this would open a window, and there are no groups.
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    const printed = { stdout: "", stderr: "" };
    /** Whether there was anything to send it to. */
    const send = (signal: NodeJS.Signals | 0): boolean => {
      try {
        if (process.platform === "win32") return child.exitCode === null && child.kill(signal);
        return child.pid !== undefined && process.kill(-child.pid, signal);
      } catch {
        return false;
      }
    };
    let ending: NodeJS.Timeout | undefined;
    const end = (then: () => void) => {
      clearInterval(ending);
      send("SIGTERM");
      const started = performance.now();
      ending = setInterval(() => {
        const took = performance.now() - started;
        // The last ones may be in a call that nothing interrupts.
        const isOver = took > 2 * GRACE_MS || !send(took > GRACE_MS ? "SIGKILL" : 0);
        if (isOver) then();
      }, POLL_MS);
    };
    // Outside of the terminal's group, it gets no Ctrl-C.
    const onSignal = (signal: NodeJS.Signals) =>
      end(() => {
        stop();
        options.onSignal?.();
        process.kill(process.pid, signal);
      });
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
    const stop = () => {
      clearTimeout(timer);
      clearInterval(ending);
      for (const signal of signals) process.off(signal, onSignal);
    };
    const settle = (outcome: ProgramOutcome) => {
      stop();
      child.stdout.destroy();
      child.stderr.destroy();
      resolve(outcome);
    };
    const tooLate = () => end(() => settle({ kind: "too late" }));
    const timer = setTimeout(tooLate, options.timeoutMs);
    for (const signal of signals) process.on(signal, onSignal);
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (chunk: string) => {
        if (printed[name].length > MAX_CHARACTERS) return;
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
    child.on("close", (exitCode) => {
      if (ending === undefined) settle({ kind: "ended", exitCode, ...printed });
    });
  });
}

/**
 * The file of a program, searched only in the absolute folders of PATH, like Node.js by the
 * launcher. Windows would search the working folder first: that is the project's, and nobody wants
 * to run a node.exe that came with it.
 */
function findProgram(name: string, { cwd, env }: ProgramOptions): string | undefined {
  const isWindows = process.platform === "win32";
  if (name.includes("/") || (isWindows && name.includes("\\"))) return resolve(cwd, name);
  const { delimiter, isAbsolute } = isWindows ? win32 : posix;
  const endings = isWindows ? [...(name.includes(".") ? [""] : []), ".com", ".exe"] : [""];
  return (takeVariables(env, process.platform).PATH ?? "")
    .split(delimiter)
    .map((folder) => (isWindows ? folder.replaceAll('"', "") : folder))
    .filter(isAbsolute)
    .flatMap((folder) => endings.map((ending) => `${folder}/${name}${ending}`))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
