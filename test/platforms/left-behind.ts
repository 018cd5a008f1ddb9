import { existsSync } from "node:fs";
import { stillRunning } from "../support/processes";
import type { Machine } from "./machine";

/** A busy emulator needs its time, even to end. */
export const GONE_MS = 60_000;

/**
 * Rejects with anything that a closed machine has left: a process (such as Wine's server) or its
 * folder. Mounts and emulators end with the namespaces of their command.
 */
export async function checkNothingLeft({ marker, work }: Machine): Promise<void> {
  const left = (await stillRunning(marker, GONE_MS)).map(({ command }) => `the process ${command}`);
  if (existsSync(work)) left.push(`the folder ${work}`);
  if (left.length > 0) throw new Error(`Left behind: ${left.join("; ")}.`);
}
