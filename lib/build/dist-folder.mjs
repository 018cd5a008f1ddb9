// The folder dist: whether it is what its inputs make (the demo and the tests build first, and
// mostly nothing has changed), and how a new one takes its place.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";

// In dist, so that it comes and goes with it; left out of the package ("files" in package.json).
const STAMP = ".build-stamp";
// package-lock.json stands for the compilers and for what is bundled.
const INPUTS = ["lib", "LICENSE", "package.json", "package-lock.json", "tsconfig.json"];
const STALE_MS = 3_600_000;

/** Whether `dist` was built from the inputs as they are now, and its files are still there. */
export function isUpToDate(root, dist) {
  try {
    return readFileSync(join(dist, STAMP), "utf8") === digest(root, dist);
  } catch {
    return false;
  }
}

/** Notes in `dist` what it was built from. */
export function writeStamp(root, dist) {
  writeFileSync(join(dist, STAMP), digest(root, dist));
}

function digest(root, dist) {
  const hash = createHash("sha256");
  // By content: a checkout and a copy change the times of files that are the same.
  for (const file of INPUTS.flatMap((input) => filesUnder(join(root, input)))) {
    const bytes = readFileSync(file);
    hash.update(`${relative(root, file)}\0${bytes.length}\0`).update(bytes);
  }
  // By name, size and time: enough to notice that somebody has been at them, and nothing is read.
  for (const file of filesUnder(dist).filter((path) => path !== join(dist, STAMP))) {
    const { size, mode, mtimeMs } = statSync(file);
    hash.update(`${relative(dist, file)}\0${size}\0${mode & 0o777}\0${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

/** The files at and under a path, in an order that is the same everywhere. */
export function filesUnder(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/**
 * Replaces `dist` by `fresh`, so that no reader ever sees half a build. Two builds at once need no
 * lock: each swaps in a whole folder, their bytes are the same, and whoever finds the place taken
 * again moves that out of the way too.
 */
export function swapIn(fresh, dist) {
  for (let attempt = 0; ; attempt++) {
    const old = `${dist}.old-${process.pid}-${attempt}`;
    try {
      renameSync(dist, old);
    } catch (error) {
      if (error.code !== "ENOENT") throw error;
    }
    try {
      return renameSync(fresh, dist);
    } catch (error) {
      if (attempt === 20 || !["ENOTEMPTY", "EEXIST"].includes(error.code)) throw error;
    } finally {
      rmSync(old, { recursive: true, force: true });
    }
  }
}

/** Removes what killed builds have left beside `dist`. A younger folder may be another build's. */
export function sweep(dist) {
  const since = Date.now() - STALE_MS;
  for (const name of readdirSync(dirname(dist))) {
    if (!/^\.(new|old)-/.test(name.replace(basename(dist), ""))) continue;
    const path = join(dirname(dist), name);
    if ((statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? since) < since)
      rmSync(path, { recursive: true, force: true });
  }
}
