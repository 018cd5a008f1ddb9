import { constants, existsSync, mkdirSync, openSync, readdirSync, realpathSync } from "node:fs";
import { Socket } from "node:net";
import path from "node:path";
import { PluginStartError } from "../faults";
import { othersMayRenameIn, removeFolder } from "../launch/fresh-folder";
import { SOCKET } from "../launch/socket-folder";
import { quietly } from "../quietly";
import { openSlots, type Slot } from "./slots";

/** The FIFOs, and the launchers' claims: whatever else is in the folder stays. */
const OURS = /^(control|[c.]?[1-9]\d*)$/;

/** The folder through which the launches of one Terraform process find the server. */
export interface HandoverFolder {
  /** The server's socket. */
  readonly socket: string;
  /**
   * From now on, launchers are noticed. Calls `onLaunch` for each that has taken a slot.
   *
   * @returns whether the first launcher has created the FIFOs by now
   */
  open(onLaunch: (slot: Slot) => void): boolean;
  /**
   * Removes the folder. Launchers that are about to take a slot then find its other end closed, as
   * soon as this process has ended. The socket goes first: a launcher that creates slots meanwhile
   * sees that it has gone, and removes them.
   */
  remove(): void;
}

/**
 * Creates the folder. It must not have existed: it therefore belongs to this user, and nobody else
 * can enter it.
 *
 * @throws if it cannot be created, or exists: then another server serves this Terraform
 */
export function createHandoverFolder(folder: string): HandoverFolder {
  const parent = path.dirname(folder);
  // Behind a link, launchers would not find it.
  if (realpathSync.native(parent) !== parent || othersMayRenameIn(parent))
    throw new PluginStartError(`Other users could replace ${JSON.stringify(folder)}.`);
  mkdirSync(folder, { mode: 0o700 });
  return {
    socket: path.join(folder, SOCKET),
    open: (onLaunch) => {
      const control = path.join(folder, "control");
      if (!existsSync(control)) return false;
      // First: a launcher waits at a slot that is open here.
      readLines(control, (line) => {
        const slot = take(line);
        if (slot !== undefined) onLaunch(slot);
      });
      const take = openSlots(folder);
      return true;
    },
    remove: () => {
      const files = quietly(() => readdirSync(folder)) ?? [];
      removeFolder(folder, [SOCKET, ...files.filter((name) => OURS.test(name))]);
    },
  };
}

/** Reads the lines that launchers write into a FIFO. */
function readLines(file: string, onLine: (line: string) => void): void {
  // With epoll, like a pipe. Opened for writing as well, so that it does not end when a launcher
  // closes it.
  const fd = openSync(file, constants.O_RDWR | constants.O_NONBLOCK);
  const fifo = new Socket({ fd, readable: true, writable: false });
  fifo.on("error", () => {});
  let text = "";
  fifo.setEncoding("latin1").on("data", (chunk: string) => {
    const lines = (text + chunk).split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  });
}
