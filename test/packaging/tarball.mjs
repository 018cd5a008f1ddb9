// The packed package.

import { mkdirSync, readFileSync, statSync } from "node:fs";
import { relative } from "node:path";
import { filesUnder } from "../../lib/build/dist-folder.mjs";
import { manifestOf, run } from "../../lib/build/project.mjs";

/**
 * A packed package, unpacked into a folder: where it is, its files, its name, and the framework
 * that it is for.
 */
export function readTarball(path, folder) {
  mkdirSync(folder);
  run("tar", ["-xpzf", path, "--strip-components=1", "-C", folder]);
  const entries = filesUnder(folder).map((file) => {
    const { mode, size } = statSync(file);
    return { name: relative(folder, file), mode, size, content: readFileSync(file) };
  });
  const { name } = manifestOf(folder);
  return { path, entries, name, framework: name.replace("-iam-tokens", "") };
}
