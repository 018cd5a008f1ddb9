import {
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  unlinkSync,
} from "node:fs";
import { Socket } from "node:net";
import path from "node:path";
import { faultName, PluginStartError } from "../faults";
import { othersMayRenameIn, removeFolder } from "../launch/fresh-folder";
import { SOCKET } from "../launch/socket-folder";
import { quietly } from "../quietly";
import { maxOpenFiles } from "./proc";
import { openSlots, type Slot } from "./slots";

/** The socket, the FIFOs, and the launchers' claims: whatever else is in the folder stays. */
const OURS = /^(s|control|[c.]?[1-9]\d*)$/;

/** Twice as many as the slots of a burst and Node.js need. */
const ENOUGH_FILES = 256;

/** The folder through which the launches of one Terraform process find the server. */
export interface HandoverFolder {
  /** The server's socket. */
  readonly socket: string;
  /**
   * From now on, launchers are noticed. Calls `onLaunch` for each that has taken a slot. If only
   * few files may be open, none is noticed, and each launch has its own server.
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
 * @throws PluginStartError if the folder cannot be created, or exists: then another server serves
 * this Terraform
 */
export function createHandoverFolder(folder: string): HandoverFolder {
  const parent = path.dirname(folder);
  // Behind a link, launchers would not find it.
  if (realpathSync.native(parent) !== parent || othersMayRenameIn(parent))
    throw new PluginStartError(`Other users could replace ${JSON.stringify(folder)}.`);
  const socket = path.join(folder, SOCKET);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    throw new PluginStartError(
      `The folder ${JSON.stringify(folder)} cannot be created (${faultName(error)}).`,
    );
  }
  return {
    socket,
    open: (onLaunch) => {
      const control = path.join(folder, "control");
      if (!existsSync(control)) return false;
      // Slots need many files, and the provider's other work needs the rest.
      if (maxOpenFiles() < ENOUGH_FILES) return true;
      const take = openSlots(folder);
      readLines(control, (line) => {
        const slot = take(line);
        if (slot !== undefined) onLaunch(slot);
      });
      return true;
    },
    remove: () => {
      quietly(() => unlinkSync(socket));
      const files = quietly(() => readdirSync(folder)) ?? [];
      removeFolder(
        folder,
        files.filter((name) => OURS.test(name)),
      );
    },
  };
}

/** Reads the lines that launchers write into a FIFO. */
function readLines(file: string, onLine: (line: string) => void): void {
  // With epoll, like a pipe. Opened for writing as well, so that it does not end when a launcher
  // closes it.
  const fd = openSync(file, constants.O_RDWR | constants.O_NONBLOCK);
  const fifo = new Socket({ fd, readable: true, writable: false });
  fifo.on("error", () => fifo.destroy());
  let text = "";
  fifo.setEncoding("latin1").on("data", (chunk: string) => {
    const lines = (text + chunk).split("\n");
    // A launcher's few bytes arrive in one piece, so longer data is not from a launcher.
    text = (lines.pop() ?? "").slice(0, 32);
    for (const line of lines) onLine(line);
  });
}
