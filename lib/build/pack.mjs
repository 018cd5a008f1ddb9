// Packs both packages: cdktf-iam-tokens, and cdktn-iam-tokens, made from the same files; each with
// its jsii assembly. dist must be built.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { writeAssembly } from "./languages/assembly.mjs";
import { PLACES } from "./names.mjs";
import { writePackage, writeTerrain } from "./terrain.mjs";

const root = resolve(import.meta.dirname, "../..");

/** Packs both into a folder. @returns the paths of both tarballs */
export function packBoth(packed) {
  mkdirSync(packed, { recursive: true });
  return [writePackage, writeTerrain].map((write) => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "iam-pack-")));
    try {
      write(root, folder);
      addFields(folder, writeAssembly(root, folder));
      return join(packed, npmPack(folder, packed));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

/**
 * What does something when it is imported: programs. Only here, because this package's own bundler
 * reads it as well: of the sources, the public entry checks the framework when it is imported.
 */
const SIDE_EFFECTS = ["./dist/cli/*", "./dist/terraform/*", "./dist/testing/main.js"];

/**
 * Adds the parts of a manifest that registries read, and jsii's tools, in this package and in
 * packages that build on it. Removes the parts that only a checkout needs, because they would run
 * its scripts.
 */
function addFields(folder, { targets }) {
  const path = join(folder, "package.json");
  const { scripts, devDependencies, ...manifest } = JSON.parse(readFileSync(path, "utf8"));
  const files = [...manifest.files, ".jsii"];
  const jsii = { outdir: "packed", targets, tsc: { rootDir: "lib", outDir: "dist" } };
  const fields = { ...PLACES, sideEffects: SIDE_EFFECTS, files, jsii };
  writeFileSync(path, `${JSON.stringify({ ...manifest, ...fields }, null, 2)}\n`);
}

/** Packs the content of a folder. Scripts would build once more. */
function npmPack(cwd, packed) {
  const { status, stdout, stderr } = spawnSync(
    "npm",
    ["pack", "--json", "--ignore-scripts", "--pack-destination", packed],
    { cwd, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`npm pack in ${cwd}: ${stdout}${stderr}`);
  return JSON.parse(stdout)[0].filename;
}
