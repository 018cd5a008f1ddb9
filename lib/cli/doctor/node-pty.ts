import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { mayHang, namesIn } from "./files";

/**
 * Whether a node-pty lacks its compiled part for a Node.js: a command line that uses it then does
 * not start. It includes builds for some lines of Node.js; npm compiles it for others if there is a
 * compiler.
 *
 * @param abi the `process.versions.modules` of that Node.js
 */
export function lacksBuild(folder: string, abi: string): boolean {
  if (existsSync(join(folder, "build/Release/pty.node"))) return false;
  const builds = namesIn(join(folder, "prebuilds", `${process.platform}-${process.arch}`));
  // A file on Unix, a folder on Windows.
  return !builds.some((name) => new RegExp(`(?:^|\\.)abi${abi}(?:\\.|$)`).test(name));
}

/** The node-pty of the project's CDKTF command line; cdktn-cli has none. */
export function nodePtyOf(projectFolder: string): string | undefined {
  let from = join(projectFolder, "package.json");
  try {
    for (const name of ["cdktf-cli", "@cdktf/cli-core", "@cdktf/node-pty-prebuilt-multiarch"]) {
      if (isBlocked(dirname(from), name)) return undefined;
      from = createRequire(from).resolve(`${name}/package.json`);
    }
    return dirname(from);
  } catch {
    return undefined;
  }
}

/** Whether one of the files that Node.js reads to find a package would keep it forever. */
function isBlocked(folder: string, name: string): boolean {
  const files = ["package.json", `node_modules/${name}/package.json`];
  const above = dirname(folder);
  return (
    files.some((file) => mayHang(join(folder, file))) ||
    (above !== folder && isBlocked(above, name))
  );
}
