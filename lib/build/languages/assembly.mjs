// The jsii assembly of a package: its public API, in the form from which jsii-pacmak makes the
// other languages, and on which other construct libraries can build.
//
// jsii is a second compiler of the same sources here. Only the assembly of its output is kept: the
// program stays the bundle of dist, with the metadata for jsii's runtime from
// lib/build/bundles.mjs.

import { createHash } from "node:crypto";
import {
  copyFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { filesUnder } from "../dist-folder.mjs";
import { PLACES, pageOf, REPOSITORY, targetsOf } from "../names.mjs";
import { edit, manifestOf, readJson, root, runBeside, writeJson } from "../project.mjs";
import { documented, inPage } from "../terrain.mjs";

const JSII = createRequire(import.meta.url).resolve("jsii/bin/jsii");

/**
 * Writes `.jsii` into the folder of a package, and returns it parsed. An exposed part that jsii
 * does not support is an error.
 *
 * @param folder contains the package's own package.json
 */
export async function writeAssembly(folder) {
  const manifest = manifestOf(folder);
  const stage = realpathSync(mkdtempSync(join(tmpdir(), "assembly-")));
  try {
    cpSync(join(root, "lib"), join(stage, "lib"), { recursive: true });
    copyFileSync(join(root, "lib/build/languages/README.md"), join(stage, "README.md"));
    if (manifest.name.startsWith("cdktn")) nameTerrain(stage);
    leaveOutFunctions(join(stage, "lib/index.ts"));
    markBaseClass(join(stage, "lib/constructs/authentication-token.ts"));
    symlinkSync(join(root, "node_modules"), join(stage, "node_modules"), "dir");
    writeJson(join(stage, "package.json"), manifestForJsii(manifest));
    writeJson(join(stage, "tsconfig.json"), settings());
    copyFileSync(join(root, "LICENSE"), join(stage, "LICENSE"));
    const options = ["--tsconfig", "tsconfig.json", "--silence-warnings=reserved-word"];
    await runBeside(process.execPath, [JSII, ...options], { cwd: stage });
    // jsii writes the absolute path of the folder that it has compiled, and a hash of all it wrote.
    const { fingerprint: _, ...assembly } = readable(readJson(join(stage, ".jsii")));
    assembly.metadata = { ...assembly.metadata, tscRootDir: "lib", tscOutDir: "dist" };
    const fingerprint = createHash("sha256").update(JSON.stringify(assembly)).digest("base64");
    writeFileSync(join(folder, ".jsii"), JSON.stringify({ ...assembly, fingerprint }));
    return assembly;
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/**
 * Docstrings as other languages can show them: a reference to a page is its address (jsii has put a
 * space into its path), and a link to a type its name.
 */
function readable(assembly) {
  return JSON.parse(JSON.stringify(assembly), (key, value) => {
    if (typeof value !== "string") return value;
    const page = key === "see" && /^docs \/([\w-]+\.md)/.exec(value)?.[1];
    // jsii also puts a space, or the star of a broken line, into a link.
    return page ? pageOf(page) : value.replaceAll(/\{@link[\s*]+([\w.]+)\s*\}/g, "`$1`");
  });
}

/** With the names of the other package: see lib/build/terrain.mjs. */
function nameTerrain(stage) {
  for (const path of filesUnder(join(stage, "lib")).filter((file) => file.endsWith(".ts")))
    writeFileSync(path, documented(readFileSync(path, "utf8")));
  edit(join(stage, "README.md"), inPage);
}

/** resolveTokens takes callbacks and a stream, which jsii does not support; SynthTokens stays. */
function leaveOutFunctions(path) {
  edit(path, (text) =>
    text.replace(/^export .* from "\.\/resolution\/(?!synth-tokens).*";\n/gm, ""),
  );
}

/**
 * The tokens' base class is not public. jsii gives the members of a class with this mark to its
 * subclasses; tsc would omit it from the declarations, which need it.
 */
function markBaseClass(path) {
  edit(path, (text) => text.replace(/ \*\/\n(?=export abstract class)/g, " * @internal\n */\n"));
}

/**
 * The package's manifest for jsii, with the peers that the sources import. Without commands: pacmak's
 * kill theirs on Ctrl-C while Terraform saves its state. npx starts the npm package's.
 */
function manifestForJsii(manifest) {
  const { name, version, description, keywords, license, author, main, types, ...rest } = manifest;
  const peers = Object.keys(rest.peerDependencies);
  const framework = name.replace(/-iam-tokens$/, "");
  return {
    ...{ name, version, description, keywords, license, main, types },
    author: { name: author },
    // Maven wants the address without npm's prefix.
    repository: { type: "git", url: `${REPOSITORY}.git` },
    homepage: PLACES.homepage,
    stability: "stable",
    // jsii compiles with a newer one, whose IMixin then is in the other languages' declarations.
    peerDependencies: { ...rest.peerDependencies, constructs: "^10.6.0" },
    devDependencies: Object.fromEntries(
      peers.map((peer) => [peer, manifestOf(join(root, "node_modules", peer)).version]),
    ),
    jsii: { outdir: ".", targets: targetsOf(framework), validateTsconfig: "off" },
  };
}

/** Settings for the checkout, from lib/index.ts on: everything else is not public. */
function settings() {
  const { paths, noEmit, ...options } = readJson(join(root, "tsconfig.json")).compilerOptions;
  return {
    compilerOptions: { ...options, types: ["node"], rootDir: "lib", outDir: "dist" },
    files: ["lib/index.ts"],
  };
}
