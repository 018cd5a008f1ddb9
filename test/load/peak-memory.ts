import { readFileSync } from "node:fs";
import { markedProcesses, type ProcessMarker } from "../support/processes";

/** Looks at the processes of a mark until it is stopped. */
export class PeakMemory {
  readonly #timer: NodeJS.Timeout;
  #peakKb = 0;

  /** @param isMeant by the command of a process */
  constructor(marker: ProcessMarker, isMeant: (command: string) => boolean) {
    this.#timer = setInterval(() => {
      for (const { pid, command } of markedProcesses(marker)) if (isMeant(command)) this.#look(pid);
    }, 50);
  }

  /** The most that one of them had in memory, in MiB. */
  stop(): number {
    clearInterval(this.#timer);
    return Math.round(this.#peakKb / 1024);
  }

  #look(pid: number): void {
    try {
      // The kernel's own high-water mark: nothing between two looks is missed.
      const [, kb = "0"] =
        /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
      this.#peakKb = Math.max(this.#peakKb, Number(kb));
    } catch {
      // It has ended meanwhile.
    }
  }
}
