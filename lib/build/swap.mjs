// Puts a finished folder in the place of the old one, so that no reader ever sees half a build.

import { readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const STALE_MS = 3_600_000;

/**
 * Replaces `target` by `fresh`. Two builds at once need no lock: each swaps in a whole folder,
 * their bytes are the same, and whoever finds the place taken again moves that out of the way too.
 */
export function swapIn(fresh, target) {
  for (let attempt = 0; ; attempt++) {
    const old = `${target}.old-${process.pid}-${attempt}`;
    moveAway(target, old);
    try {
      renameSync(fresh, target);
      return;
    } catch (error) {
      if (attempt === 20 || !["ENOTEMPTY", "EEXIST"].includes(error.code)) throw error;
    } finally {
      rmSync(old, { recursive: true, force: true });
    }
  }
}

function moveAway(target, old) {
  try {
    renameSync(target, old);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
}

/**
 * Removes what killed builds have left beside `target`. A younger folder may be another build's.
 */
export function sweep(target) {
  const parent = dirname(target);
  for (const name of readdirSync(parent)) {
    if (
      !name.startsWith(`${basename(target)}.new-`) &&
      !name.startsWith(`${basename(target)}.old-`)
    )
      continue;
    const path = join(parent, name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > STALE_MS) rmSync(path, { recursive: true, force: true });
  }
}
