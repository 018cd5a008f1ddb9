import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type CommandResult, type RunningCommand, startCommand } from "../support/command";
import { stillRunning } from "../support/processes";
import { makeScratch } from "../support/scratch";
import { GONE_MS } from "./left-behind";

/** Result of a command; the text is both outputs, in their order. */
export type Ended = Pick<CommandResult, "exitCode" | "text">;

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
  /** A mirror below `work` of the archives with Node.js: there is no other on this machine. */
  readonly mirror?: string;
  /** What is run once on this machine before the probe; each rejects with what is wrong. */
  readonly checks?: readonly (() => Promise<void>)[];
  /** On every process that it has started. */
  readonly marker: string;
  /** Ends everything that it has started, and removes `work`. */
  close(): Promise<void>;
}

/** Commands that run. */
const running = new Set<RunningCommand>();

/** Kills all commands of {@link execute}: they would outlive this process. */
export function killCommands(): void {
  for (const command of running) command.signalGroup("SIGKILL");
}

/** Runs a command to its end; rejects after its time limit. */
export async function execute(
  file: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<Ended> {
  const command = startCommand(file, args, { ...options, timeoutMs: 600_000 });
  running.add(command);
  try {
    return await command.finished;
  } finally {
    running.delete(command);
  }
}

/** A folder for a machine, whose processes have its marker. */
export function emptyMachine() {
  const scratch = makeScratch();
  const work = join(scratch.folder, "work");
  mkdirSync(work);
  const close = async () => {
    // A server of the hand-over may still be removing its files.
    await stillRunning(scratch.marker, GONE_MS);
    scratch.remove();
  };
  return { scratch, work, marker: scratch.marker, close };
}
