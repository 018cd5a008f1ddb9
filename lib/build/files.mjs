// Files of a folder, in an order that is the same everywhere.

import { readdirSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** The files at and under a path, sorted by name. */
export function filesUnder(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** A relative path as it reads on every platform. */
export function portable(from, to) {
  return relative(from, to).split(sep).join("/");
}
