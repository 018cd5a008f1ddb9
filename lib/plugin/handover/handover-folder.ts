import { constants, lstatSync, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import path from "node:path";
import { maxSocketPathBytes, othersMayRenameIn } from "../server/socket-folder";
import { PluginStartError } from "../server/start-error";
import { markNamespace, removeLeftBehind } from "./left-behind";
import { maxOpenFiles } from "./open-files";
import { type Slot, Slots } from "./slots";

/** Four times what the first slots take. */
const ENOUGH_FILES = 256;

/**
 * The folder by which the launches of one Terraform process find the server. The first launcher has made it, and made it
 * anew: so it is this user's, and nobody else can enter. Both is looked at again here.
 */
export class HandoverFolder {
  /** Where the server listens. */
  readonly socket: string;

  /** @throws PluginStartError when the folder is not as the launcher makes it */
  constructor(private readonly folder: string) {
    const found = lstatSync(folder);
    if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o077) !== 0) {
      throw new PluginStartError(`The folder ${JSON.stringify(folder)} must be this user's alone.`);
    }
    if (othersMayRenameIn(path.dirname(folder))) {
      throw new PluginStartError(`Other users may put a folder of theirs in the place of ${JSON.stringify(folder)}.`);
    }
    this.socket = path.join(folder, "s");
    if (Buffer.byteLength(this.socket) > maxSocketPathBytes(process.platform)) {
      throw new PluginStartError(`The path ${JSON.stringify(this.socket)} is too long for a socket.`);
    }
  }

  /**
   * From now on launchers are heard. `onLaunch` is called for each that has taken a slot. Where few files may be open nobody is heard,
   * so that each launch has a server of its own.
   */
  open(onLaunch: (slot: Slot) => void): void {
    markNamespace(this.folder);
    // Slots take many: those that are left must do for all that the provider is asked.
    if (maxOpenFiles() < ENOUGH_FILES) return;
    const slots = new Slots(this.folder);
    // Read by epoll, as a pipe is. Also open for writing, so that it does not end with a launcher that closes it.
    const descriptor = openSync(path.join(this.folder, "control"), constants.O_RDWR | constants.O_NONBLOCK);
    const control = new Socket({ fd: descriptor, readable: true, writable: false });
    control.on("error", () => control.destroy());
    let text = "";
    control.setEncoding("latin1").on("data", (chunk: string) => {
      const lines = (text + chunk).split("\n");
      // A launcher's few bytes come in one piece, so that what is long is nothing of theirs.
      text = (lines.pop() ?? "").slice(0, 32);
      for (const line of lines) {
        const slot = slots.take(line);
        if (slot !== undefined) onLaunch(slot);
      }
    });
  }

  /** Removes what servers that were killed have left behind. */
  tidy(): void {
    removeLeftBehind(this.folder);
  }

  /** Removes the folder. Launchers that are about to take a slot then find its other end closed, as soon as the process is over. */
  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
