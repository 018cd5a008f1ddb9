// Same input, same bytes: the provider's checksum is in users' lock files.

import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { filesUnder } from "../../lib/build/dist-folder.mjs";
import { report } from "./problems.mjs";
import { run } from "./tarball.mjs";

/**
 * Builds a copy under another path, with its packages somewhere else again, and compares every
 * file.
 */
export function checkReproducible(root, folder) {
  mkdirSync(folder);
  for (const name of ["lib", "LICENSE", "package.json", "package-lock.json", "tsconfig.json"]) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "dir");
  run(process.execPath, [join(folder, "lib/build.mjs")], {
    cwd: "/",
    env: { PATH: process.env.PATH, TZ: "Asia/Tokyo", LANG: "C" },
  });
  const here = contents(join(root, "dist"));
  const there = contents(join(folder, "dist"));
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
