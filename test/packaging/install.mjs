// A user's project with the package installed from its tarball.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { manifestOf, root, run } from "../../lib/build/project.mjs";
import { report } from "./problems.mjs";

/** Packages that compiling needs. */
const LINKED = ["@types/node", "undici-types"];

/** Installs the tarball into a new project, without network: it brings no other package. */
export function installPackage(tarball, folder) {
  const { name: own, framework } = tarball;
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "user", private: true }));
  // The peers are linked; npm is not to look for them.
  const offline = ["--offline", "--legacy-peer-deps", "--no-audit", "--no-fund"];
  run("npm", ["install", ...offline, tarball.path], { cwd: folder });
  const packages = readdirSync(join(folder, "node_modules")).filter(
    (name) => !name.startsWith("."),
  );
  const manifest = manifestOf(join(folder, "node_modules", own));
  report([
    ...packages.filter((name) => name !== own).map((name) => `npm has installed ${name} with it.`),
    // jsii's tools follow these, and refuse one that is not a jsii library.
    ...["dependencies", "optionalDependencies", "bundleDependencies", "devDependencies"]
      .filter((kind) => kind in manifest)
      .map((kind) => `Its manifest has ${kind}.`),
  ]);
  const inProject = (name) => join(folder, "node_modules", name);
  const here = (name) => join(root, "node_modules", name);
  for (const name of LINKED) {
    mkdirSync(dirname(inProject(name)), { recursive: true });
    symlinkSync(here(name), inProject(name), "dir");
  }
  // A copy: both are to load the same constructs. CDKTF's command line requires the oldest.
  cpSync(here(framework), inProject(framework), { recursive: true });
  const constructs = framework === "cdktf" ? "constructs-oldest" : "constructs";
  symlinkSync(here(constructs), inProject("constructs"), "dir");
  // Links that no manifest names are extraneous; anything else is wrong.
  const { stdout } = spawnSync("npm", ["ls", "--json", own], { cwd: folder, encoding: "utf8" });
  const { problems = [], dependencies } = JSON.parse(stdout);
  report(problems.filter((problem) => !problem.startsWith("extraneous: ")));
  report(own in dependencies ? [] : [`npm ls does not list ${own}.`]);
  return { folder, name: own, framework };
}
