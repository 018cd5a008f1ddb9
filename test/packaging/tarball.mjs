// The packed package.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { filesUnder } from "../../lib/build/dist-folder.mjs";
import { Problems } from "./problems.mjs";

/**
 * Runs a command to its end, and gives back what it printed; one that fails is a problem, reported
 * with its output.
 */
export function run(file, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(file, args, {
    encoding: "utf8",
    maxBuffer: 1 << 26,
    ...options,
  });
  if (status !== 0)
    throw new Problems(
      `${file} ${args.join(" ")}: ${error?.message ?? `exit code ${status}`}\n${stdout ?? ""}${stderr ?? ""}`,
    );
  return stdout;
}

/**
 * A packed package, unpacked into a folder: where it is, its files, its name, and the framework that
 * it is for.
 */
export function readTarball(path, folder) {
  mkdirSync(folder);
  run("tar", ["-xpzf", path, "--strip-components=1", "-C", folder]);
  const entries = filesUnder(folder).map((file) => {
    const { mode, size } = statSync(file);
    return { name: relative(folder, file), mode, size, content: readFileSync(file) };
  });
  const { name } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return { path, entries, name, framework: name.replace("-iam-tokens", "") };
}
