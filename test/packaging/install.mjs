// A user's project with the package installed from its tarball.

import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { report } from "./problems.mjs";
import { run } from "./tarball.mjs";

/** Packages that users have in addition: the peers, and those that compiling needs. */
const LINKED = ["constructs", "@types/node", "undici-types"];

/**
 * Listed as optional dependencies for tools that audit packages: their code is inside our files, in
 * this version. jsii's tools follow all other dependencies, and refuse one that is not a jsii
 * library.
 */
const BUNDLED = ["undici", "zod"];

/**
 * Installs the tarball into a new project, without network: npm takes what is bundled from here.
 * Then that is removed, and whatever is done with the project shows that nobody needs it.
 */
export function installPackage(root, tarball, folder) {
  const { name: own, framework } = tarball;
  mkdirSync(folder);
  const exact = Object.fromEntries(
    BUNDLED.map((name) => [name, readManifest(join(root, "node_modules", name)).version]),
  );
  const overrides = {};
  for (const [name, version] of Object.entries(exact)) {
    const source = join(root, "node_modules", name);
    run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder, source], { cwd: folder });
    overrides[name] = `file:${join(folder, `${name}-${version}.tgz`)}`;
  }
  const project = { name: "user", private: true, overrides };
  writeFileSync(join(folder, "package.json"), JSON.stringify(project));
  // The peers are linked below; npm is not to look for them.
  run(
    "npm",
    ["install", "--offline", "--legacy-peer-deps", "--no-audit", "--no-fund", tarball.path],
    { cwd: folder },
  );
  const packages = readdirSync(join(folder, "node_modules")).filter(
    (name) => !name.startsWith("."),
  );
  const { dependencies, optionalDependencies, bundleDependencies } = readManifest(
    join(folder, "node_modules", own),
  );
  report([
    ...packages
      .filter((name) => name !== own && !BUNDLED.includes(name))
      .map((name) => `npm has installed ${name} with it.`),
    ...(isDeepStrictEqual(optionalDependencies, exact)
      ? []
      : [
          `The optional dependencies are ${JSON.stringify(optionalDependencies)}, bundled are ${JSON.stringify(exact)}.`,
        ]),
    ...Object.keys({ ...dependencies, ...bundleDependencies }).map(
      (name) => `${name} is a dependency.`,
    ),
  ]);
  for (const name of BUNDLED) rmSync(join(folder, "node_modules", name), { recursive: true });
  for (const name of [framework, ...LINKED]) {
    const path = join(folder, "node_modules", name);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(join(root, "node_modules", name), path, "dir");
  }
  return { folder, name: own, framework };
}

function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}
