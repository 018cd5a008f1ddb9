// Tells whether dist is what its inputs make: the demo and the tests build first, and mostly
// nothing has changed.

import { createHash } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { filesUnder, portable } from "./files.mjs";

// In dist, so that it comes and goes with it; left out of the package ("files" in package.json).
const STAMP = ".build-stamp";
// package-lock.json stands for the compilers and for what is bundled.
const INPUTS = ["lib", "LICENSE", "package.json", "package-lock.json", "tsconfig.json"];

/** Whether `dist` was built from the inputs as they are now, and its files are still there. */
export function isUpToDate(root, dist) {
  try {
    const stamp = JSON.parse(readFileSync(join(dist, STAMP), "utf8"));
    return stamp.inputs === digestInputs(root) && stamp.outputs === digestOutputs(dist);
  } catch {
    return false;
  }
}

/** Notes in `dist` what it was built from. */
export function writeStamp(root, dist) {
  const stamp = { inputs: digestInputs(root), outputs: digestOutputs(dist) };
  writeFileSync(join(dist, STAMP), `${JSON.stringify(stamp)}\n`);
}

/** By content: a checkout and a copy change the times of files that are the same. */
function digestInputs(root) {
  const hash = createHash("sha256");
  for (const input of INPUTS) {
    for (const file of filesUnder(join(root, input))) {
      const bytes = readFileSync(file);
      hash.update(`${portable(root, file)}\0${bytes.length}\0`).update(bytes);
    }
  }
  return hash.digest("hex");
}

/**
 * By name, size and time: enough to notice that somebody has been at them, and no content is read.
 */
function digestOutputs(dist) {
  const hash = createHash("sha256");
  for (const file of filesUnder(dist)) {
    if (file === join(dist, STAMP)) continue;
    const { size, mode, mtimeMs } = statSync(file);
    hash.update(`${portable(dist, file)}\0${size}\0${mode & 0o777}\0${mtimeMs}\n`);
  }
  return hash.digest("hex");
}
