// A user's project with the package installed from its tarball.

import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { report } from "./problems.mjs";
import { run } from "./tarball.mjs";

/** Packages that users have beside it: the peers, and what compiling against them needs. */
const LINKED = ["cdktf", "constructs", "@types/node", "undici-types"];

/** In the bundles, and named as dependencies all the same: for who looks for what it is made of. */
const NAMED = ["undici", "zod"];

/**
 * Installs the tarball into a new project, without network: so it can have no dependency but those
 * that `npm ci` has fetched.
 */
export function installPackage(root, tarball, folder) {
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "user", private: true }));
  // The peers are linked below; npm is not to look for them.
  run(
    "npm",
    ["install", "--offline", "--legacy-peer-deps", "--no-audit", "--no-fund", tarball.path],
    { cwd: folder },
  );
  const packages = readdirSync(join(folder, "node_modules")).filter(
    (name) => !name.startsWith("."),
  );
  const {
    dependencies = {},
    optionalDependencies = {},
    bundleDependencies = {},
  } = JSON.parse(readFileSync(join(folder, "node_modules/cdktf-iam-tokens/package.json"), "utf8"));
  const all = Object.keys({ ...dependencies, ...optionalDependencies, ...bundleDependencies });
  report([
    ...packages
      .filter((name) => !["cdktf-iam-tokens", ...NAMED].includes(name))
      .map((name) => `npm has installed ${name} with it.`),
    ...all.filter((name) => !NAMED.includes(name)).map((name) => `${name} is a dependency.`),
  ]);
  for (const name of LINKED) {
    const path = join(folder, "node_modules", name);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(join(root, "node_modules", name), path, "dir");
  }
  return { folder };
}
