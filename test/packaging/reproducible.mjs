// Same input, same bytes: the provider's checksum is in users' lock files, and a tarball's in
// theirs.

import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { filesUnder, INPUTS } from "../../lib/build/dist-folder.mjs";
import { manifestOf, root, run } from "../../lib/build/project.mjs";
import { report } from "./problems.mjs";

/**
 * Builds and packs a copy under another path, with its packages somewhere else again, and compares
 * every file of dist, and both tarballs.
 */
export function checkReproducible(packed, folder) {
  mkdirSync(folder);
  const pages = manifestOf(root).files.filter((name) => !name.startsWith("!") && name !== "dist");
  for (const name of [...INPUTS, "README.md", ...pages])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "dir");
  const env = { PATH: process.env.PATH, TZ: "Asia/Tokyo", LANG: "C" };
  for (const program of ["build.mjs", "pack.mjs"])
    run(process.execPath, [join(folder, "lib", program)], { cwd: "/", env });
  const here = contents(join(root, "dist"));
  const there = contents(join(folder, "dist"));
  for (const { path } of packed) {
    here.set(basename(path), readFileSync(path));
    there.set(basename(path), readFileSync(join(folder, "packed", basename(path))));
  }
  report([
    ...[...here]
      .filter(([name, bytes]) => !there.get(name)?.equals(bytes))
      .map(([name]) => `Other bytes there: ${name}`),
    ...[...there.keys()].filter((name) => !here.has(name)).map((name) => `Only there: ${name}`),
  ]);
  return `${here.size} files`;
}

function contents(dist) {
  const files = filesUnder(dist).filter((file) => !file.endsWith(".build-stamp"));
  return new Map(files.map((file) => [relative(dist, file), readFileSync(file)]));
}
