import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { isLeftOver } from "./outer-run";

/**
 * Removes the folders of runs that were killed together with their providers (kill -9 of the whole
 * process group), beside a folder of this run. Nothing else looks like them: see {@link
 * isLeftOver}.
 */
export async function removeLeftOvers(socket: string): Promise<void> {
  const own = dirname(socket);
  const parent = dirname(own);
  let names: readonly string[];
  try {
    names = readdirSync(parent).filter((name) => name.startsWith("tfp-"));
  } catch {
    return;
  }
  for (const folder of names.map((name) => join(parent, name))) {
    if (folder !== own && (await isLeftOver(folder)))
      rmSync(folder, { recursive: true, force: true });
  }
}
