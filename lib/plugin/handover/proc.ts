// Linux's data about processes, in /proc.

import { closeSync, fstatSync, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { quietly } from "../quietly";

/** Identifies a process of this machine, or of this PID namespace. */
interface ProcessStat {
  readonly parent: number;
  /**
   * In ticks since the machine has started: it distinguishes a process from a later one with the
   * same id.
   */
  readonly startTime: string;
}

/**
 * A live process by its id; undefined if there is none, or only a zombie.
 */
export function readProcessStat(pid: number): ProcessStat | undefined {
  return quietly(() => parseProcessStat(readFileSync(`/proc/${pid}/stat`, "latin1")));
}

/**
 * The content of `/proc/PID/stat`. The program's name is in it without escapes, with blanks and
 * brackets: the fields begin after its last bracket.
 */
export function parseProcessStat(text: string): ProcessStat | undefined {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state = "Z", parent = ""] = fields;
  const startTime = fields[19] ?? "";
  if ("ZXx".includes(state) || !/^\d+$/.test(parent) || !/^\d+$/.test(startTime)) return undefined;
  return { parent: Number(parent), startTime };
}

/** The working folder of a process; undefined if it cannot be read. */
export function workingFolderOf(pid: number): string | undefined {
  return quietly(() => readlinkSync(`/proc/${pid}/cwd`));
}

/** The entries of the environment at the start of a process; undefined if they cannot be read. */
export function startEnvironmentOf(pid: number): readonly string[] | undefined {
  return quietly(() => readFileSync(`/proc/${pid}/environ`, "latin1").split("\0"));
}

/** Whether a process has the same FIFO open under this descriptor as this one under its own. */
export function isSameFile(pid: number, theirs: number, ours: number): boolean {
  return (
    quietly(() => {
      const there = statSync(`/proc/${pid}/fd/${theirs}`, { bigint: true });
      const here = fstatSync(ours, { bigint: true });
      return there.ino === here.ino && there.dev === here.dev;
    }) ?? false
  );
}

/** A shell can close descriptors below this, and the launcher has closed them. */
const FIRST_INHERITED = 10;
/**
 * A pipe, a socket, a terminal or a file: another process may wait for it, or have locked it. Each
 * has a unique name.
 */
const SOMEBODYS = /^((pipe|socket):\[|\/dev\/(pts|shm)\/|\/(?!dev\/))/;

/**
 * Closes everything that this process has inherited from another one, and that one from its own
 * parent, such as a shell's `> >(tee log)` and `exec 200>lock`. A descriptor counts as inherited if
 * it has the same number and the same target.
 */
export function closeInheritedFrom(pid: number): void {
  const target = (of: string, name: string): string =>
    quietly(() => readlinkSync(`/proc/${of}/fd/${name}`)) ?? "";
  for (const name of readdirSync("/proc/self/fd")) {
    if (Number(name) < FIRST_INHERITED) continue;
    const own = target("self", name);
    if (SOMEBODYS.test(own) && own === target(String(pid), name)) closeSync(Number(name));
  }
}
