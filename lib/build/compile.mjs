// The tsc half of the build: modules and declarations of the public entries.

import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { filesUnder } from "./files.mjs";

/** Compiles lib (what its tsconfig names) into `outdir`. A type error fails the build. */
export async function compile(root, outdir) {
  const typescript = dirname(createRequire(join(root, "package.json")).resolve("typescript/package.json"));
  const args = [join(typescript, "bin", "tsc"), "-p", join(root, "lib", "tsconfig.json"), "--outDir", outdir];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  const code = await new Promise((done, fail) => child.on("error", fail).on("close", done));
  if (code !== 0) console.warn("tsc has found type errors."); // An error once every room is there.
}

/**
 * Removes the declarations that no entry leads to. What is left is exactly the public types, so an import of a package that
 * users do not have would show here and not on their machines.
 */
export function keepPublicDeclarations(dist, entries) {
  const reached = new Set();
  const waiting = entries.map((entry) => join(dist, entry)).filter((entry) => existsSync(entry));
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    for (const [, specifier] of readFileSync(file, "utf8").matchAll(/(?:from|import\(|import)\s*"(\.[^"]*)"/g)) {
      waiting.push(declarationOf(file, specifier));
    }
  }
  for (const file of filesUnder(dist)) {
    if (file.endsWith(".d.ts") && !reached.has(file)) rmSync(file);
  }
}

function declarationOf(file, specifier) {
  const base = resolve(dirname(file), specifier);
  const found = [`${base}.d.ts`, join(base, "index.d.ts")].find((candidate) => existsSync(candidate));
  if (found === undefined) throw new Error(`${relative(process.cwd(), file)} imports ${specifier}, which has no declarations.`);
  return found;
}
