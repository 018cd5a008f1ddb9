import {
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  symlinkSync,
} from "node:fs";
import { connect } from "node:net";
import os from "node:os";
import path from "node:path";
import { removeFolder } from "../launch/fresh-folder";
import { SOCKET } from "../launch/socket-folder";
import { readProcessStat } from "./proc";

/**
 * Names the PID namespace of the process id in the folder's name. It is a broken link, because a
 * link is created completely or not at all.
 */
const NAMESPACE = "ns";

/** The socket, the mark, the FIFOs, and the launchers' claims. */
const OURS = /^(s|ns|control|\.?[1-9]\d*|c[1-9]\d*)$/;

/** Removes the folder of a hand-over; whatever else is in it stays. */
export function removeHandoverFolder(folder: string): void {
  try {
    removeFolder(
      folder,
      readdirSync(folder).filter((name) => OURS.test(name)),
    );
  } catch {
    // It has gone.
  }
}

/**
 * Marks a folder for {@link removeLeftBehind}. If that fails, the folder is never removed, but
 * still works.
 */
export function markNamespace(folder: string): void {
  try {
    symlinkSync(ownMark().join(" "), path.join(folder, NAMESPACE));
  } catch {
    // No namespaces, or no links.
  }
}

/**
 * Removes the neighbouring folders of servers that were killed together with their Terraform: no
 * other process would do it.
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
      // There is something in it, or another process was faster.
    }
  }
}

/**
 * A folder without a mark may belong to another namespace or another machine, and is only removed
 * if it is empty: a server that created it a moment ago then cannot listen, and its launch gets its
 * own server. Processes of another namespace are invisible, but they share this kernel, which knows
 * whether anybody listens.
 */
async function remove(folder: string): Promise<void> {
  if (!isOfNobody(folder)) return;
  const [namespace, host, boot] = markOf(folder) ?? [];
  const [ownNamespace, ownHost, ownBoot] = ownMark();
  if (namespace === undefined) rmdirSync(folder);
  else if (
    (namespace === ownNamespace && host === ownHost) ||
    (boot !== undefined && boot === ownBoot && (await isDeserted(path.join(folder, SOCKET))))
  )
    removeHandoverFolder(folder);
}

/**
 * Whether a folder belongs to this user, and the Terraform process in its name does not exist in
 * this PID namespace.
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

/** Undefined without one. */
function markOf(folder: string): readonly string[] | undefined {
  try {
    return readlinkSync(path.join(folder, NAMESPACE)).split(" ");
  } catch {
    return undefined;
  }
}

/**
 * PID namespace, name of the machine, and the kernel's run: the first namespace of each machine has
 * the same number, and the temporary folder may be on a network.
 */
function ownMark(): readonly string[] {
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  return [readlinkSync("/proc/self/ns/pid"), os.hostname(), boot];
}

/** Whether a socket exists on which nobody listens: only then does the kernel refuse. */
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
