// What Linux says of processes, in /proc.

import { closeSync, fstatSync, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";

/** What identifies a process of this machine, or of this PID namespace. */
interface ProcessStat {
  readonly parent: number;
  /**
   * In ticks since the machine has started: with it, a process id that is used again is another
   * process.
   */
  readonly startTime: string;
}

/**
 * A live process by its id; undefined when there is none, or what is left of it only waits to be
 * collected.
 */
export function readProcessStat(pid: number): ProcessStat | undefined {
  return orUndefined(() => parseProcessStat(readFileSync(`/proc/${pid}/stat`, "latin1")));
}

/**
 * The text of `/proc/PID/stat`. The program's name is in it as it is, with blanks and brackets:
 * only after its last bracket are there fields.
 */
export function parseProcessStat(text: string): ProcessStat | undefined {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state = "Z", parent = ""] = fields;
  const startTime = fields[19] ?? "";
  if ("ZXx".includes(state) || !/^\d+$/.test(parent) || !/^\d+$/.test(startTime)) return undefined;
  return { parent: Number(parent), startTime };
}

/** The working folder of a process; undefined when it cannot be read. */
export function workingFolderOf(pid: number): string | undefined {
  return orUndefined(() => readlinkSync(`/proc/${pid}/cwd`));
}

/** The entries of the environment that a process was started with; undefined as above. */
export function startEnvironmentOf(pid: number): readonly string[] | undefined {
  return orUndefined(() => readFileSync(`/proc/${pid}/environ`, "latin1").split("\0"));
}

/** Whether a process has a file open by a descriptor that this process has open by another. */
export function sharesFile(pid: number, theirs: number, ours: number): boolean {
  return (
    orUndefined(() => {
      const there = statSync(`/proc/${pid}/fd/${theirs}`, { bigint: true });
      const here = fstatSync(ours, { bigint: true });
      return there.ino === here.ino && there.dev === here.dev;
    }) ?? false
  );
}

/** How many files this process may have open at a time; infinite when nobody says. */
export function maxOpenFiles(): number {
  const limit = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1"))?.[1];
  return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
}

/** Those below it a shell can close, and the launcher has. */
const FIRST_INHERITED = 10;
/**
 * A pipe, a socket, a terminal or a file: what somebody may wait for, or have locked. No two of
 * them have the same name.
 */
const SOMEBODYS = /^((pipe|socket):\[|\/dev\/pts\/|\/(?!dev\/))/;

/**
 * Closes what this process has inherited from another, and that from whoever started it: a shell's
 * `> >(tee log)` and `exec 200>lock` are such. A descriptor of the same number, for the same thing,
 * has been inherited.
 */
export function closeInheritedFrom(pid: number): void {
  const target = (of: string, name: string): string =>
    orUndefined(() => readlinkSync(`/proc/${of}/fd/${name}`)) ?? "";
  for (const name of readdirSync("/proc/self/fd")) {
    if (Number(name) < FIRST_INHERITED) continue;
    const own = target("self", name);
    if (SOMEBODYS.test(own) && own === target(String(pid), name)) closeSync(Number(name));
  }
}

/** A process may end at any moment, or belong to somebody else. */
function orUndefined<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
