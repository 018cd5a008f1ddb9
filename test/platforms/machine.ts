import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { ProcessMarker } from "../support/processes";

/** Result of a command. */
export interface Ended {
  readonly exitCode: number | null;
  /** Both outputs, in their order. */
  readonly text: string;
}

/** A platform with one Node.js and one Terraform or OpenTofu on it. */
export interface Machine {
  /** The folder for everything of the probe: the machine sees it. */
  readonly work: string;
  /** A path below `work`, as programs on the machine need it. */
  pathThere(path: string): string;
  /** Runs Terraform or OpenTofu. */
  terraform(
    folder: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<Ended>;
  /** The same below `iam-tokens run`; undefined if that does not work. */
  readonly attached?: Machine["terraform"];
  /** Prepares a stack for this machine before it is initialized. */
  prepare?(stackFolder: string): void;
  /** What is run once on this machine before the probe; each rejects with what is wrong. */
  readonly checks?: readonly (() => Promise<void>)[];
  /** Whether the emulator itself has reported an internal error: the row is then run again. */
  emulatorFailed?(): boolean;
  /** On every process that it has started. */
  readonly marker: ProcessMarker;
  /** Ends everything that it has started, and removes `work`. */
  close(): Promise<void>;
}

const LIMIT_MS = 600_000;

/**
 * Runs a command to its end, in its own process group. Its output goes to a file, because programs
 * under Wine cannot write to a pipe.
 */
export function execute(
  file: string,
  args: readonly string[],
  { cwd, env, work }: { cwd: string; env: NodeJS.ProcessEnv; work: string },
): Promise<Ended> {
  const folder = mkdtempSync(join(work, "output-"));
  const path = join(folder, "text");
  const output = openSync(path, "w");
  const child = spawn(file, args, { cwd, env, detached: true, stdio: ["ignore", output, output] });
  closeSync(output);
  return new Promise((resolve, reject) => {
    const end = setTimeout(() => {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    }, LIMIT_MS);
    child.on("error", reject);
    child.on("close", (exitCode) => {
      clearTimeout(end);
      const text = stripVTControlCharacters(readFileSync(path, "utf8"));
      rmSync(folder, { recursive: true });
      resolve({ exitCode, text });
    });
  });
}
