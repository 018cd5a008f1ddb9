// jsii-pacmak and jsii-rosetta, which write the other languages, and pyright, with which the tests
// check types in Python. They are seventy megabytes that only `npm run pack -- languages` and its
// tests need: its first run installs them, from the lock file in this folder.

import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { readJson, root, run } from "../project.mjs";

const OWN = import.meta.dirname;

/** Installs the tools of the lock file if they are missing. */
export function installTools() {
  const home = join(root, "node_modules/.cache/languages");
  if (lockIn(home) !== lockIn(OWN)) {
    mkdirSync(home, { recursive: true });
    for (const file of ["package.json", "package-lock.json"])
      cpSync(join(OWN, file), join(home, file));
    run("npm", ["ci", "--ignore-scripts"], { cwd: home });
  }
  const tool = (name) => (args, options) =>
    run(process.execPath, [join(home, "node_modules", name, "bin", name), ...args], options);
  return {
    pacmak: tool("jsii-pacmak"),
    rosetta: tool("jsii-rosetta"),
    docgen: tool("jsii-docgen"),
    /**
     * Maven's local repository: frameworks that are made here must not be used by other projects.
     */
    mavenRepository: join(home, "maven"),
  };
}

/**
 * npm's own copy of the lock file lists the installed packages; ours exists before the
 * installation.
 */
function lockIn(folder) {
  try {
    const { packages } = readJson(
      join(folder, folder === OWN ? "package-lock.json" : "node_modules/.package-lock.json"),
    );
    const { "": _, ...all } = packages;
    // An optional one exists only on some platforms.
    return JSON.stringify(Object.entries(all).filter(([, { optional }]) => !optional));
  } catch {
    return undefined;
  }
}
