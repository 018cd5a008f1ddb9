import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { TerraformStack } from "cdktf";
import { Manifest } from "cdktf";
import { removeValues } from "./deliver-values";

/**
 * Removes the values of stacks that have no token of ours any more, or are no longer there
 * themselves: nothing of ours runs for them.
 *
 * @param holders the stacks whose values may stay
 * @throws ERR_WRITE_FAILED
 */
export function sweepValues(outdir: string, holders: readonly TerraformStack[]): void {
  const stacks = join(outdir, Manifest.stacksFolder);
  const kept = new Set(holders.map((stack) => stack.node.id));
  for (const name of foldersIn(stacks)) if (!kept.has(name)) removeValues(join(stacks, name));
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
}
