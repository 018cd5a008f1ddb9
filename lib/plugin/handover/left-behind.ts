import { lstatSync, readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { hostname } from "node:os";
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
 * else is left to do it. Only those of this user and this PID namespace, whose process is gone.
 */
export function removeLeftBehind(folder: string): void {
  const parent = path.dirname(folder);
  const [, prefix] = /^(.+)-\d+-\d+$/.exec(path.basename(folder)) ?? [];
  if (prefix === undefined) return;
  for (const name of readdirSync(parent)) {
    const [, beginning, pid = "", startTime] = /^(.+)-([1-9]\d*)-(\d+)$/.exec(name) ?? [];
    const other = path.join(parent, name);
    if (beginning !== prefix || other === folder || readProcessStat(Number(pid))?.startTime === startTime) continue;
    try {
      const found = lstatSync(other);
      if (!found.isDirectory() || found.uid !== process.getuid?.()) continue;
      if (readlinkSync(path.join(other, NAMESPACE)) === ownNamespace()) rmSync(other, { recursive: true, force: true });
    } catch {
      // Somebody else was quicker, or it is not ours to remove.
    }
  }
}

/** With the machine's name: the first namespace of each has the same number, and a folder for temporary files may be on a network. */
function ownNamespace(): string {
  return `${readlinkSync("/proc/self/ns/pid")} ${hostname()}`;
}
