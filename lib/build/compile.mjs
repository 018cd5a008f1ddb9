// The tsc half of the build: modules and declarations of the public entries.

import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { filesUnder } from "./files.mjs";

/** Compiles lib (what its tsconfig names) into `outdir`. A type error fails the build. */
export async function compile(root, outdir) {
  const typescript = dirname(
    createRequire(join(root, "package.json")).resolve("typescript/package.json"),
  );
  const args = [
    join(typescript, "bin", "tsc"),
    "-p",
    join(root, "lib", "tsconfig.json"),
    "--outDir",
    outdir,
  ];
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
  });
  const code = await new Promise((done, fail) => child.on("error", fail).on("close", done));
  if (code !== 0) throw new Error("tsc has found type errors.");
}

/**
 * Removes the modules and declarations that no entry leads to. What is left is exactly what users
 * can reach, so an import of a package that they do not have shows in the checks of the package,
 * and not on their machines.
 */
export function keepReachable(dist, entries) {
  const reached = new Set();
  const waiting = entries.map((entry) => join(dist, entry));
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    // The provider's files are bundles, and lead to nothing.
    if (file.endsWith(".cjs")) continue;
    const suffix = file.endsWith(".d.ts") ? ".d.ts" : ".js";
    for (const [, specifier] of readFileSync(file, "utf8").matchAll(IMPORT))
      waiting.push(fileOf(file, specifier, suffix));
  }
  for (const file of filesUnder(dist)) {
    if (/\.(js|d\.ts)$/.test(file) && !reached.has(file)) rmSync(file);
  }
}

/**
 * What tsc and esbuild write for an import of a file of ours: `from "./x"`, `import("./x")`,
 * `import "./x"`, `require("./x")`.
 */
const IMPORT = /(?:\bfrom|\bimport\(|\bimport|\brequire\()\s*"(\.[^"]*)"/g;

function fileOf(importer, specifier, suffix) {
  const base = resolve(dirname(importer), specifier);
  const found = [base + suffix, join(base, `index${suffix}`), /\.cjs$/.test(base) ? base : ""].find(
    (candidate) => existsSync(candidate),
  );
  if (found === undefined)
    throw new Error(
      `${relative(process.cwd(), importer)} imports ${specifier}, which the build does not have.`,
    );
  return found;
}
