// Builds dist: what the package ships (npm run build).
//
//   dist/index.js     the constructs and resolveTokens
//   dist/resolution/  what asks for tokens before synthesis, with the provider's code
//   dist/testing/     the ./testing entry and its command
//   dist/cli/         the command iam-tokens: what every call needs, and a file for each command
//   dist/terraform/   the Terraform provider: what synth puts beside each stack
//
// Each .js or .cjs is a bundle; declarations stand where their modules stand in lib.
//
// Same input, same bytes: the checksum of dist/terraform is in users' lock files, and other bytes
// under the same version break their next init. So nothing here depends on the machine, the time or
// the path of the checkout.
//
//   node lib/build.mjs           builds when an input or an output has changed, else only says so
//   node lib/build.mjs --force   builds in any case

import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { isUpToDate, swapIn, sweep, writeStamp } from "./build/dist-folder.mjs";

const root = resolve(import.meta.dirname, "..");
const dist = join(root, "dist");
const started = performance.now();

if (!process.argv.includes("--force") && isUpToDate(root, dist)) {
  console.log("dist is up to date.");
} else {
  // Loaded only now: the compilers are the slow part of a run that has nothing to do.
  const { bundleAll } = await import("./build/bundles.mjs");
  const { declare } = await import("./build/declarations.mjs");
  const { writeLauncher } = await import("./build/launcher.mjs");
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  sweep(dist);
  // Beside dist and not in the temporary folder: a rename works within one file system only.
  const fresh = mkdtempSync(`${dist}.new-`);
  // mkdtemp makes it for its owner alone, and an installation may be for everybody.
  chmodSync(fresh, 0o755);
  try {
    const parts = [
      declare(root, fresh),
      bundleAll(root, fresh, manifest),
      writeLauncher(root, join(fresh, "terraform"), manifest),
    ];
    // Each to its end, for they write to the folder; and all that is wrong is told at once.
    const failed = (await Promise.allSettled(parts)).filter(({ status }) => status === "rejected");
    if (failed.length > 0) throw new Error(failed.map(({ reason }) => reason.message).join("\n"));
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
