import { lstatSync, readdirSync, readlinkSync, rmdirSync, rmSync, symlinkSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { readProcessStat } from "./proc";

/**
 * Says to which PID namespace the process id in the folder's name belongs: a link to nowhere, since
 * one is made whole or not at all.
 */
const NAMESPACE = "ns";

/**
 * Marks a folder for {@link removeLeftBehind}. Where that cannot be done it is never removed, and
 * does as well.
 */
export function markNamespace(folder: string): void {
  try {
    symlinkSync(ownNamespace(), path.join(folder, NAMESPACE));
  } catch {
    // No namespaces, or no links.
  }
}

/**
 * Removes the folders beside this one that were left behind by servers which were killed together
 * with their Terraform: nobody else is left to do it.
 */
export function removeLeftBehind(folder: string): void {
  const parent = path.dirname(folder);
  const prefix = /^(.+-)\d+-\d+$/.exec(path.basename(folder))?.[1];
  if (prefix === undefined) return;
  for (const name of readdirSync(parent)) {
    const other = path.join(parent, name);
    try {
      if (other !== folder && name.startsWith(prefix)) remove(other);
    } catch {
      // There is something in it, or somebody else was quicker.
    }
  }
}

/**
 * One without a mark may be another namespace's, or another machine's, and only goes while it is
 * empty: the server that has made it a moment ago then cannot listen, and its launch has a server
 * of its own.
 */
function remove(folder: string): void {
  if (!isOfNobody(folder)) return;
  if (isMarked(folder)) rmSync(folder, { recursive: true, force: true });
  else rmdirSync(folder);
}

/**
 * Whether a folder is this user's, and no process of this PID namespace is the Terraform process of
 * its name.
 */
function isOfNobody(folder: string): boolean {
  const [, pid = "", startTime] = /-([1-9]\d*)-(\d+)$/.exec(path.basename(folder)) ?? [];
  if (startTime === undefined || readProcessStat(Number(pid))?.startTime === startTime)
    return false;
  try {
    const found = lstatSync(folder);
    return found.isDirectory() && found.uid === process.getuid?.();
  } catch {
    // It has gone.
    return false;
  }
}

function isMarked(folder: string): boolean {
  try {
    return readlinkSync(path.join(folder, NAMESPACE)) === ownNamespace();
  } catch {
    return false;
  }
}

/**
 * With the machine's name: the first namespace of each has the same number, and a folder for
 * temporary files may be on a network.
 */
function ownNamespace(): string {
  return `${readlinkSync("/proc/self/ns/pid")} ${os.hostname()}`;
}
