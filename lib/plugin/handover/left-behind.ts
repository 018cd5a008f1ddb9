import {
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { connect } from "node:net";
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
    symlinkSync(ownMark().join(" "), path.join(folder, NAMESPACE));
  } catch {
    // No namespaces, or no links.
  }
}

/**
 * Removes the folders beside this one that were left behind by servers which were killed together
 * with their Terraform: nobody else is left to do it.
 */
export async function removeLeftBehind(folder: string): Promise<void> {
  const parent = path.dirname(folder);
  const prefix = /^(.+-)\d+-\d+$/.exec(path.basename(folder))?.[1];
  if (prefix === undefined) return;
  for (const name of readdirSync(parent)) {
    const other = path.join(parent, name);
    try {
      if (other !== folder && name.startsWith(prefix)) await remove(other);
    } catch {
      // There is something in it, or somebody else was quicker.
    }
  }
}

/**
 * One without a mark may be another namespace's, or another machine's, and only goes while it is
 * empty: the server that has made it a moment ago then cannot listen, and its launch has a server
 * of its own. Of another namespace no process can be seen, but its kernel is this one, and knows
 * whether anybody listens.
 */
async function remove(folder: string): Promise<void> {
  if (!isOfNobody(folder)) return;
  const [namespace, host, boot] = markOf(folder) ?? [];
  const [ownNamespace, ownHost, ownBoot] = ownMark();
  if (namespace === undefined) rmdirSync(folder);
  else if (
    (namespace === ownNamespace && host === ownHost) ||
    (boot !== undefined && boot === ownBoot && (await isDeserted(path.join(folder, "s"))))
  )
    rmSync(folder, { recursive: true, force: true });
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

/** Undefined where there is none. */
function markOf(folder: string): readonly string[] | undefined {
  try {
    return readlinkSync(path.join(folder, NAMESPACE)).split(" ");
  } catch {
    return undefined;
  }
}

/**
 * PID namespace, name of the machine, and the kernel's run: the first namespace of each machine has
 * the same number, and a folder for temporary files may be on a network.
 */
function ownMark(): readonly string[] {
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  return [readlinkSync("/proc/self/ns/pid"), os.hostname(), boot];
}

/** Whether a socket is there at which nobody listens: the kernel refuses only then. */
function isDeserted(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket, () => {
      connection.destroy();
      resolve(false);
    });
    connection.once("error", (error: NodeJS.ErrnoException) =>
      resolve(error.code === "ECONNREFUSED"),
    );
  });
}
