// Packs both packages: cdktf-iam-tokens, and cdktn-iam-tokens, made from the same files; each with
// its jsii assembly. dist must be built.

import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeAssembly } from "./languages/assembly.mjs";
import { PLACES } from "./names.mjs";
import { manifestOf, run, writeJson } from "./project.mjs";
import { PACKED_PAGES, writePackage, writeTerrain } from "./terrain.mjs";

/**
 * Packs both into a folder, at the same time, in place of the tarballs there. Other packages stay:
 * the registry's archives took minutes. @returns the paths of both tarballs
 */
export function packBoth(packed) {
  mkdirSync(packed, { recursive: true });
  for (const path of tarballsIn(packed)) rmSync(path);
  return Promise.all([writePackage, writeTerrain].map((write) => packOne(packed, write)));
}

export const tarballsIn = (folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".tgz"))
    .map((name) => join(folder, name));

/** Packs one of them, by default the first. @returns the path of the tarball */
export async function packOne(packed, write = writePackage) {
  mkdirSync(packed, { recursive: true });
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "iam-pack-")));
  try {
    write(folder);
    addFields(folder, await writeAssembly(folder));
    return join(packed, npmPack(folder, packed));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Files with side effects. Not in the checkout's manifest: our bundler would then drop the check of
 * the framework in lib/index.ts.
 */
const SIDE_EFFECTS = ["./dist/cli/*", "./dist/terraform/*", "./dist/testing/main.js"];

/**
 * Adds the parts of a manifest that registries read, and jsii's tools, in this package and in
 * packages that build on it. Removes the parts that only a checkout needs, because they would run
 * its scripts.
 */
function addFields(folder, { targets }) {
  const { scripts, devDependencies, ...manifest } = manifestOf(folder);
  const files = [...manifest.files, ...PACKED_PAGES, ".jsii"];
  const jsii = { outdir: "packed", targets, tsc: { rootDir: "lib", outDir: "dist" } };
  const fields = { ...PLACES, sideEffects: SIDE_EFFECTS, files, jsii };
  writeJson(join(folder, "package.json"), { ...manifest, ...fields });
}

/** Packs the content of a folder. Scripts would build once more. */
function npmPack(cwd, packed) {
  const options = ["--json", "--ignore-scripts", "--pack-destination", packed];
  return JSON.parse(run("npm", ["pack", ...options], { cwd }))[0].filename;
}
