// Builds dist: what the package ships (npm run build).
//
//   dist/index.js     the constructs and resolveTokens, one file, with their declarations
//   dist/tokens/      the rules that all entries share, one file a module
//   dist/resolution/  what asks for tokens before synthesis: one file, with the provider's code
//   dist/testing/     the ./testing entry and its command, one file each, with declarations
//   dist/cli/         the command iam-tokens: what every call needs, and a file for each command
//   dist/terraform/   the Terraform provider: what synth puts beside each stack
//
// Same input, same bytes: the checksum of dist/terraform is in users' lock files, and other bytes
// under the same version break their next init. So nothing here depends on the machine, the time or
// the path of the checkout.
//
//   node lib/build.mjs           builds when an input or an output has changed, else only says so
//   node lib/build.mjs --force   builds in any case

import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { isUpToDate, writeStamp } from "./build/stamp.mjs";
import { swapIn, sweep } from "./build/swap.mjs";

const root = resolve(import.meta.dirname, "..");
const dist = join(root, "dist");
const started = performance.now();

if (!process.argv.includes("--force") && isUpToDate(root, dist)) {
  console.log("dist is up to date.");
} else {
  // Loaded only now: the compilers are the slow part of a run that has nothing to do.
  const {
    bundleCli,
    bundleConstructs,
    bundleCron,
    bundleProvider,
    bundleResolution,
    bundleTesting,
  } = await import("./build/bundles.mjs");
  const { compile, keepReachable } = await import("./build/compile.mjs");
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  sweep(dist);
  // Beside dist and not in the temporary folder: a rename works within one file system only.
  const fresh = mkdtempSync(`${dist}.new-`);
  // mkdtemp makes it for its owner alone, and an installation may be for everybody.
  chmodSync(fresh, 0o755);
  try {
    await allEnded([
      compile(root, fresh),
      bundleProvider(root, join(fresh, "terraform"), manifest),
      bundleCli(root, join(fresh, "cli"), manifest),
    ]);
    await allEnded([
      bundleTesting(root, join(fresh, "testing")),
      bundleConstructs(root, fresh),
      bundleCron(root, fresh),
      bundleResolution(root, join(fresh, "resolution")),
    ]);
    keepReachable(fresh, [
      "index.js",
      "index.d.ts",
      "testing/index.js",
      "testing/index.d.ts",
      "testing/main.js",
      "cli/main.js",
      "cli/attached.js",
    ]);
    writeStamp(root, fresh);
    swapIn(fresh, dist);
    console.log(`dist is built (${Math.round(performance.now() - started)} ms).`);
  } catch (error) {
    console.error(
      `${error instanceof Error ? error.message : error}\nThe build has failed; dist is left as it was.`,
    );
    process.exitCode = 1;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/**
 * As Promise.all, but a failure is not told while the others still write to the folder that is then
 * removed.
 */
async function allEnded(promises) {
  await Promise.allSettled(promises);
  await Promise.all(promises);
}
