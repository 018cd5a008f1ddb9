// The tsc half of the build: declarations of the public entries.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { filesUnder } from "./dist-folder.mjs";
import { root } from "./project.mjs";

/**
 * Writes the declarations that the public entries (lib/tsconfig.json) refer to into `outdir`. A
 * type error fails the build.
 */
export async function declare(outdir) {
  const typescript = createRequire(import.meta.url).resolve("typescript/package.json");
  const tsc = spawn(
    process.execPath,
    [
      join(dirname(typescript), "bin/tsc"),
      "-p",
      join(root, "lib/tsconfig.json"),
      "--outDir",
      outdir,
    ],
    { cwd: root, stdio: ["ignore", "inherit", "inherit"] },
  );
  const [code] = await once(tsc, "close");
  if (code !== 0) throw new Error("tsc has found type errors.");
  keepReachable(outdir, ["index.d.ts", "testing/index.d.ts"]);
}

/**
 * Exactly the reachable declarations stay: the checks of the package, and not the users, find an
 * import of a package that users do not have.
 */
function keepReachable(outdir, entries) {
  const reached = new Set();
  const waiting = entries.map((entry) => join(outdir, entry));
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    for (const [, path] of readFileSync(file, "utf8").matchAll(/"(\.\.?\/[^"]*)"/g)) {
      const module = resolve(dirname(file), path);
      waiting.push(existsSync(`${module}.d.ts`) ? `${module}.d.ts` : join(module, "index.d.ts"));
    }
  }
  for (const file of filesUnder(outdir))
    if (file.endsWith(".d.ts") && !reached.has(file)) rmSync(file);
}
