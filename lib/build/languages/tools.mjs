// jsii-pacmak and jsii-rosetta, which write the other languages, and pyright, with which the tests
// check types in Python. They are seventy megabytes that only `npm run pack -- languages` and its
// tests need: its first run installs them, from the lock file in this folder.

import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { readJson, root, run } from "../project.mjs";

/** The tools of the lock file in this folder. */
export function installTools() {
  const home = installLocked(import.meta.dirname, join(root, "node_modules/.cache/languages"));
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
 * Installs the packages of a folder's lock file, if they are missing.
 *
 * @param own has package.json and package-lock.json
 * @param home the folder for node_modules
 */
export function installLocked(own, home, options = []) {
  // npm's own copy of the lock file lists the installed packages; ours exists before them.
  const installed = lockedIn(join(home, "node_modules/.package-lock.json"));
  if (installed !== lockedIn(join(own, "package-lock.json"))) {
    mkdirSync(home, { recursive: true });
    for (const file of ["package.json", "package-lock.json"])
      cpSync(join(own, file), join(home, file));
    run("npm", ["ci", "--ignore-scripts", ...options], { cwd: home });
  }
  return home;
}

function lockedIn(file) {
  try {
    const { "": _, ...all } = readJson(file).packages;
    // An optional one exists only on some platforms.
    return JSON.stringify(Object.entries(all).filter(([, { optional }]) => !optional));
  } catch {
    return undefined;
  }
}
