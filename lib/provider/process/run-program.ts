import type { ChildProcess } from "node:child_process";
import { win32 } from "node:path";
import { errorCodeOf } from "../../tokens";
import { findProgram } from "./find-program";
import { type ProcessContext, takeVariables } from "./process-context";

/** A program and its arguments, without a shell. */
export type Command = readonly [program: string, ...args: string[]];

interface ProgramOptions {
  readonly cwd: string;
  /** Its complete environment, whose PATH is searched for it. */
  readonly env: ProcessContext["variables"];
  /** How long it may take, in milliseconds. */
  readonly limitMs: number;
  /** How many bytes it may print; of its standard error, the rest is dropped. */
  readonly limitBytes: number;
  /** What becomes of its standard error. @default ignore */
  readonly stderr?: "pipe" | "ignore";
  /** Ends it. @default - nothing does */
  readonly signal?: AbortSignal;
}

/** How a program ended. */
interface Ending {
  readonly end:
    | "not found"
    /** `by` the code of an error. */
    | "not started"
    /** `by` its exit code. */
    | "exited"
    /** `by` a signal. */
    | "killed"
    /** It took too long. */
    | "late"
    /** It had ended in time, but not a program that it had started, which held its output. */
    | "held"
    /** It printed too much. */
    | "verbose"
    | "aborted"
    /** `by` what happened to this process: it "ended", or "got SIGHUP". */
    | "interrupted";
  readonly by?: string | undefined;
}

/** The end of a program, and what it has printed until then. */
export interface ProgramOutcome extends Ending {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

/**
 * Runs a program, which gets no input, to its end. It is killed, with all processes of its group,
 * at its limits, when the signal is aborted, and when this process ends.
 */
export function runProgram(
  [name, ...args]: Command,
  { cwd, env, limitMs, limitBytes, stderr = "ignore", signal }: ProgramOptions,
): Promise<ProgramOutcome> {
  const printed = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  if (signal?.aborted) return Promise.resolve({ end: "aborted", ...printed });
  const file = findProgram(name, takeVariables(env).PATH);
  if (file === undefined) return Promise.resolve({ end: "not found", ...printed });
  return new Promise((resolve) => {
    let child: ChildProcess;
    const interrupt: Interrupt = (by) => stop("interrupted", by);
    // Before its start: a signal in between would end this process, and leave the program.
    watch(interrupt);
    try {
      child = childProcess().spawn(file, args, {
        cwd,
        env: { ...env },
        stdio: ["ignore", "pipe", stderr],
        // A group of its own, to end it with its children. Windows has none, and opens a window.
        detached: process.platform !== "win32",
        windowsHide: true,
      });
    } catch (error) {
      forget(interrupt);
      resolve({ end: "not started", by: errorCodeOf(error), ...printed });
      return;
    }
    let stopped: Ending | undefined;
    const stop = (end: Ending["end"], by?: string): void => {
      stopped ??= { end, by };
      clearTimeout(timer);
      timer = setTimeout(() => finish(end, by), DYING_MS);
      child.unref();
      endGroup(child);
      // A child that left the group may hold them.
      child.stdout?.destroy();
      child.stderr?.destroy();
    };
    const abort = () => stop("aborted");
    const finish = (end: Ending["end"], by: string | undefined): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      forget(interrupt);
      resolve({ ...(stopped ?? { end, by }), ...printed });
    };
    let timer = setTimeout(() => {
      const isRunning = child.exitCode === null && child.signalCode === null;
      stop(isRunning ? "late" : "held");
    }, limitMs);
    signal?.addEventListener("abort", abort);
    // stdout is missing if this process is out of file descriptors.
    child.stdout?.on("data", (chunk: Buffer) => {
      printed.stdout = Buffer.concat([printed.stdout, chunk]);
      if (printed.stdout.length > limitBytes) stop("verbose");
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      printed.stderr = Buffer.concat([printed.stderr, chunk]).subarray(0, limitBytes);
    });
    child.on("error", (error) => finish("not started", errorCodeOf(error)));
    child.on("close", (code, by) => finish(by === null ? "exited" : "killed", by ?? String(code)));
  });
}

/** How long a killed one is waited for: what `sudo` runs may not be killed by its caller. */
const DYING_MS = 2_000;

/** Signals that end this process, unless it handles them. */
const ENDING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Ends a program. */
type Interrupt = (by: string) => void;

/** The running programs. They share listeners: Node.js warns about more than ten. */
const underWay = new Set<Interrupt>();

function watch(interrupt: Interrupt): void {
  underWay.add(interrupt);
  if (underWay.size > 1) return;
  // Before the removal of a folder in which one works.
  process.prependListener("exit", onExit);
  for (const name of ENDING) process.on(name, onSignal);
}

function forget(interrupt: Interrupt): void {
  underWay.delete(interrupt);
  if (underWay.size > 0) return;
  process.off("exit", onExit);
  for (const name of ENDING) process.off(name, onSignal);
}

function endAll(by: string): void {
  for (const interrupt of underWay) interrupt(by);
}

const onExit = (): void => endAll("ended");

/** In groups of their own, the programs get none of a terminal's signals. */
function onSignal(name: NodeJS.Signals): void {
  endAll(`got ${name}`);
  if (process.listenerCount(name) > 1) return;
  // Without another handler, this process ends by the signal, after its exit listeners.
  process.off(name, onSignal);
  process.once("exit", () => process.kill(process.pid, name));
  process.exit();
}

/** Loaded only here: most launches run no command. */
const childProcess = () => require("node:child_process") as typeof import("node:child_process");

/** By its path: Windows would first search the working folder, where a module may have files. */
const taskkill = () =>
  win32.join(process.env.SystemRoot ?? "C:\\Windows", "System32", "taskkill.exe");

/** Kills a process with its children; on Windows by the system's own tool. */
function endGroup(child: ChildProcess): void {
  // It was not started.
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32")
      childProcess()
        .spawn(taskkill(), ["/pid", String(child.pid), "/T", "/F"], {
          stdio: "ignore",
          windowsHide: true,
        })
        .on("error", () => child.kill("SIGKILL"))
        .unref();
    else process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
