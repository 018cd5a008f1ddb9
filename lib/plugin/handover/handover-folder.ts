import { constants, existsSync, mkdirSync, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import path from "node:path";
import { faultName, PluginStartError } from "../faults";
import { othersMayRenameIn, socketProblem } from "../launch/socket-folder";
import { markNamespace, removeLeftBehind } from "./left-behind";
import { maxOpenFiles } from "./proc";
import { type Slot, Slots } from "./slots";

/** Twice what slots take in a burst, and what Node.js takes. */
const ENOUGH_FILES = 256;

/**
 * The folder by which the launches of one Terraform process find the server. It is made here, and
 * made anew: so it is this user's, and nobody else can enter.
 */
export class HandoverFolder {
  /** Where the server listens. */
  readonly socket: string;

  /**
   * @throws PluginStartError when there can be no folder, or when it is there: then another server
   * serves this Terraform
   */
  constructor(private readonly folder: string) {
    if (othersMayRenameIn(path.dirname(folder))) {
      throw new PluginStartError(
        `Other users may put a folder of theirs in the place of ${JSON.stringify(folder)}.`,
      );
    }
    this.socket = path.join(folder, "s");
    const problem = socketProblem(this.socket, process.platform);
    if (problem !== undefined)
      throw new PluginStartError(`${JSON.stringify(folder)} cannot hold a socket: ${problem}.`);
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      throw new PluginStartError(
        `The folder ${JSON.stringify(folder)} cannot be made (${faultName(error)}).`,
      );
    }
    // At once, though Terraform waits: what is killed before it has said whose it is, nobody could
    // ever remove.
    markNamespace(folder);
  }

  /**
   * From now on launchers are heard. `onLaunch` is called for each that has taken a slot. Where few
   * files may be open nobody is heard, so that each launch has a server of its own.
   *
   * @returns whether the first launcher has made the FIFOs by now
   */
  open(onLaunch: (slot: Slot) => void): boolean {
    if (!existsSync(path.join(this.folder, "control"))) return false;
    // Slots take many: those that are left must do for all that the provider is asked.
    if (maxOpenFiles() < ENOUGH_FILES) return true;
    const slots = new Slots(this.folder);
    // Read by epoll, as a pipe is. Also open for writing, so that it does not end with a launcher
    // that closes it.
    const descriptor = openSync(
      path.join(this.folder, "control"),
      constants.O_RDWR | constants.O_NONBLOCK,
    );
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
    return true;
  }

  /** Removes what servers that were killed have left behind. */
  tidy(): void {
    // Nothing depends on it.
    void removeLeftBehind(this.folder).catch(() => {});
  }

  /**
   * Removes the folder. Launchers that are about to take a slot then find its other end closed, as
   * soon as the process is over.
   */
  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
