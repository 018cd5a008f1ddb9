import { lstatSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from "node:fs";
import { connect } from "node:net";
import os from "node:os";
import path from "node:path";
import { MARK } from "./socket-folder";

/**
 * Marks a server's folder with the place where the server runs. The mark is a broken link, because
 * a link is created completely or not at all. If that fails, the folder is never removed by others,
 * but still works.
 */
export function markFolder(folder: string): void {
  try {
    symlinkSync(ownMark().join(" "), path.join(folder, MARK));
  } catch {
    // No namespaces, or no links.
  }
}

/**
 * Where the server of a folder runs: in this PID namespace, on this kernel (its processes may be
 * invisible, but the kernel knows whether anybody listens), or anywhere.
 */
export function placeOf(folder: string): "unmarked" | "here" | "this kernel" | "elsewhere" {
  let mark: string;
  try {
    mark = readlinkSync(path.join(folder, MARK));
  } catch {
    return "unmarked";
  }
  const [namespace, host, boot] = mark.split(" ");
  const [ownNamespace, ownHost, ownBoot] = ownMark();
  if (namespace === ownNamespace && host === ownHost) return "here";
  return boot !== undefined && boot === ownBoot ? "this kernel" : "elsewhere";
}

/**
 * PID namespace, name of the machine, and the kernel's run: the first namespace of each machine has
 * the same number, and the temporary folder may be on a network.
 */
function ownMark(): readonly string[] {
  if (process.platform !== "linux") return ["-", os.hostname()];
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  return [readlinkSync("/proc/self/ns/pid"), os.hostname(), boot];
}

/**
 * Removes what killed servers have left next to a server's folder.
 *
 * @param isOne whether a name can be that of such a folder
 * @param remove gets folders of this user; if it fails, the folder stays
 */
export async function sweepNeighbours(
  folder: string,
  isOne: (name: string) => boolean,
  remove: (other: string) => Promise<void>,
): Promise<void> {
  const parent = path.dirname(folder);
  for (const name of readdirSync(parent)) {
    const other = path.join(parent, name);
    try {
      if (other !== folder && isOne(name) && isOwnFolder(other)) await remove(other);
    } catch {
      // There is something in it, or another process was faster.
    }
  }
}

function isOwnFolder(folder: string): boolean {
  const found = lstatSync(folder);
  return found.isDirectory() && found.uid === process.getuid?.();
}

/**
 * Connects once: "refused" is certain (a socket exists, and nobody listens), even for a server in
 * another PID namespace; a busy server may be "unknown".
 */
export function probeSocket(socket: string): Promise<"listens" | "refused" | "unknown"> {
  return new Promise((resolve) => {
    const connection = connect(socket, () => {
      connection.destroy();
      resolve("listens");
    });
    connection.once("error", (error: NodeJS.ErrnoException) =>
      resolve(error.code === "ECONNREFUSED" ? "refused" : "unknown"),
    );
  });
}
