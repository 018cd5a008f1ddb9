// A user's project with the package installed from its tarball.

import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { report } from "./problems.mjs";
import { run } from "./tarball.mjs";

/** Packages that users have beside it: the peers, and what compiling against them needs. */
const LINKED = ["cdktf", "constructs", "@types/node", "undici-types"];

/**
 * Installs the tarball into a new project, without network: so it can have no dependency that npm
 * would have to fetch.
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
    bundleDependencies = [],
  } = JSON.parse(readFileSync(join(folder, "node_modules/cdktf-iam-tokens/package.json"), "utf8"));
  report([
    ...packages
      .filter((name) => name !== "cdktf-iam-tokens")
      .map((name) => `npm has installed ${name} with it.`),
    ...[
      ...Object.keys(dependencies),
      ...Object.keys(optionalDependencies),
      ...bundleDependencies,
    ].map((name) => `${name} is a dependency.`),
  ]);
  for (const name of LINKED) {
    const path = join(folder, "node_modules", name);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(join(root, "node_modules", name), path, "dir");
  }
  return { folder };
}
