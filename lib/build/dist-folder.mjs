// The folder dist: whether it matches its inputs (the demo and the tests build first, and mostly
// nothing has changed), and how a new one replaces it.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "./project.mjs";

// In dist, to be removed together with it; excluded from the package ("files" in package.json).
const STAMP = ".build-stamp";
/** package-lock.json represents the compilers and the bundled packages. */
export const INPUTS = ["lib", "LICENSE", "package.json", "package-lock.json", "tsconfig.json"];

/** Whether `dist` was built from the current inputs, and its files still exist. */
export function isUpToDate(dist) {
  try {
    return readFileSync(join(dist, STAMP), "utf8") === digest(dist);
  } catch {
    return false;
  }
}

/** Records in `dist` the inputs of the build. */
export function writeStamp(dist) {
  writeFileSync(join(dist, STAMP), digest(dist));
}

function digest(dist) {
  const hash = createHash("sha256");
  // By content: checkouts and copies change the times of equal files.
  for (const file of INPUTS.flatMap((input) => filesUnder(join(root, input)))) {
    const bytes = readFileSync(file);
    hash.update(`${relative(root, file)}\0${bytes.length}\0`).update(bytes);
  }
  // By name, size and time: this detects changes without reading the files.
  for (const file of filesUnder(dist).filter((path) => path !== join(dist, STAMP))) {
    const { size, mode, mtimeMs } = statSync(file);
    hash.update(`${relative(dist, file)}\0${size}\0${mode & 0o777}\0${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

/** The files at and below a path, in an order that is the same everywhere. */
export function filesUnder(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Replaces `dist` by `fresh`: no reader sees half a build. */
export function swapIn(fresh, dist) {
  const old = `${fresh}-old`;
  try {
    renameSync(dist, old);
    // Another build may have moved or replaced dist meanwhile: its bytes are the same.
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
  try {
    renameSync(fresh, dist);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST"].includes(error.code)) throw error;
  } finally {
    rmSync(old, { recursive: true, force: true });
  }
}
