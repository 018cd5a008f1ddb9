import { lstatSync, readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { readProcessStat } from "./process-stat";

/** Says to which PID namespace the process id in the folder's name belongs: a link to nowhere, since one is made whole or not at all. */
const NAMESPACE = "ns";

/** Marks a folder for {@link removeLeftBehind}. */
export function markNamespace(folder: string): void {
  symlinkSync(ownNamespace(), path.join(folder, NAMESPACE));
}

/**
 * Removes the folders beside this one that were left behind by servers which were killed together with their Terraform: nobody
 * else is left to do it.
 */
export function removeLeftBehind(folder: string): void {
  const parent = path.dirname(folder);
  const prefix = /^(.+-)\d+-\d+$/.exec(path.basename(folder))?.[1];
  if (prefix === undefined) return;
  for (const name of readdirSync(parent)) {
    const other = path.join(parent, name);
    try {
      if (other !== folder && name.startsWith(prefix) && isLeftBehind(other)) rmSync(other, { recursive: true, force: true });
    } catch {
      // Somebody else was quicker.
    }
  }
}

/** Whether a folder was marked by a server of this user and this PID namespace, and the Terraform process of its name is gone. */
export function isLeftBehind(folder: string): boolean {
  const [, pid = "", startTime] = /-([1-9]\d*)-(\d+)$/.exec(path.basename(folder)) ?? [];
  if (startTime === undefined || readProcessStat(Number(pid))?.startTime === startTime) return false;
  try {
    const found = lstatSync(folder);
    if (!found.isDirectory() || found.uid !== process.getuid?.()) return false;
    return readlinkSync(path.join(folder, NAMESPACE)) === ownNamespace();
  } catch {
    // There is no mark, or the folder has gone.
    return false;
  }
}

/** With the machine's name: the first namespace of each has the same number, and a folder for temporary files may be on a network. */
function ownNamespace(): string {
  return `${readlinkSync("/proc/self/ns/pid")} ${os.hostname()}`;
}
