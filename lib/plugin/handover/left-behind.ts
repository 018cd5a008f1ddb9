import { readdirSync, rmdirSync } from "node:fs";
import path from "node:path";
import { removeFolder } from "../launch/fresh-folder";
import { placeOf, probeSocket, sweepNeighbours } from "../launch/left-behind";
import { SOCKET } from "../launch/socket-folder";
import { readProcessStat } from "./proc";

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
 * Removes the neighbouring folders of servers that were killed together with their Terraform: no
 * other process would do it.
 */
export async function removeLeftBehind(folder: string): Promise<void> {
  const prefix = /^(.+-)\d+-\d+$/.exec(path.basename(folder))?.[1];
  if (prefix === undefined) return;
  await sweepNeighbours(folder, (name) => name.startsWith(prefix) && isOfNobody(name), remove);
}

/**
 * A folder without a mark may belong to another namespace or another machine, and is only removed
 * if it is empty: a server that created it a moment ago then cannot listen, and its launch gets its
 * own server.
 */
async function remove(folder: string): Promise<void> {
  const place = placeOf(folder);
  if (place === "unmarked") rmdirSync(folder);
  else if (place === "here") removeHandoverFolder(folder);
  else if (place === "this kernel" && (await probeSocket(path.join(folder, SOCKET))) === "refused")
    removeHandoverFolder(folder);
}

/** Whether the Terraform process in a folder's name does not exist in this PID namespace. */
function isOfNobody(name: string): boolean {
  const [, pid = "", startTime] = /-([1-9]\d*)-(\d+)$/.exec(name) ?? [];
  return startTime !== undefined && readProcessStat(Number(pid))?.startTime !== startTime;
}
