import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";

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
  /** What is run once on this machine before the probe; each rejects with what is wrong. */
  readonly checks?: readonly (() => Promise<void>)[];
  /** On every process that it has started. */
  readonly marker: string;
  /** Ends everything that it has started, and removes `work`. */
  close(): Promise<void>;
}

const LIMIT_MS = 600_000;

/** Process groups of the commands that run. */
const groups = new Set<number>();

/** Kills all commands of {@link execute}: they would outlive this process. */
export function killCommands(): void {
  for (const group of groups) killGroup(group);
}

function killGroup(group: number): void {
  try {
    // Windows has no groups.
    process.kill(process.platform === "win32" ? group : -group, "SIGKILL");
  } catch {
    // It has gone.
  }
}

/**
 * Runs a command to its end or its time limit, in its own process group. Its output goes to a file,
 * because programs under Wine cannot write to a pipe.
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
  const { pid } = child;
  if (pid !== undefined) groups.add(pid);
  return new Promise((resolve, reject) => {
    let late = "";
    const end = setTimeout(() => {
      late = `\n${file} ${args.join(" ")} was killed after ${LIMIT_MS / 1_000} s.\n`;
      if (pid !== undefined) killGroup(pid);
    }, LIMIT_MS);
    const settle = (): void => {
      clearTimeout(end);
      if (pid !== undefined) groups.delete(pid);
    };
    child.on("error", (error) => {
      settle();
      reject(error);
    });
    child.on("close", (exitCode) => {
      settle();
      // After a signal, its folder may be gone.
      const printed = existsSync(path) ? readFileSync(path, "utf8") : "";
      const text = stripVTControlCharacters(printed);
      rmSync(folder, { recursive: true, force: true });
      resolve({ exitCode, text: text + late });
    });
  });
}
