import { readFileSync } from "node:fs";
import type { NotScanned, Piece } from "./containers";

/**
 * The environment and the arguments of a process, as Linux shows them to the same user (arguments:
 * to everybody).
 *
 * The environment is that of the process's start: what it unset itself is still there.
 */
export function* piecesOfProcess(
  pid: number,
  notScanned: (what: NotScanned) => void,
): Iterable<Piece> {
  for (const [file, what] of [
    ["environ", "environment"],
    ["cmdline", "arguments"],
  ] as const) {
    const where = `the ${what} of process ${pid}`;
    try {
      yield { where, bytes: readFileSync(`/proc/${pid}/${file}`) };
    } catch (error) {
      notScanned({ where, reason: (error as NodeJS.ErrnoException).code ?? "unreadable" });
    }
  }
}
