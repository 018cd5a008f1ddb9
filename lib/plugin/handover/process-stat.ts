import { readFileSync } from "node:fs";

/** What identifies a process of this machine, or of this PID namespace. */
export interface ProcessStat {
  readonly parent: number;
  /**
   * In ticks since the machine has started: with it, a process id that is used again is another
   * process.
   */
  readonly startTime: string;
}

/**
 * A live process by its id; undefined when there is none, or what is left of it only waits to be
 * collected. Linux only.
 */
export function readProcessStat(pid: number): ProcessStat | undefined {
  try {
    return parseProcessStat(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return undefined;
  }
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
