// Builds dist: the files of the package (npm run build).
//
//   dist/index.js     the constructs and resolveTokens
//   dist/resolution/  requests tokens before synthesis, with the provider's code
//   dist/testing/     the ./testing entry and its command
//   dist/cli/         the command iam-tokens: the common part, and a file for each command
//   dist/terraform/   the Terraform provider, which synthesis copies next to each stack
//
// Each .js or .cjs is a bundle; declarations have the places of their modules in lib.
//
// Same input, same bytes: the checksum of dist/terraform is in users' lock files, and other bytes
// under the same version break their next init. So nothing here depends on the machine, the time or
// the path of the checkout.
//
//   node lib/build.mjs   builds if an input or an output has changed

import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isUpToDate, swapIn, writeStamp } from "./build/dist-folder.mjs";
import { root } from "./build/project.mjs";

const dist = join(root, "dist");
const started = performance.now();

if (isUpToDate(dist)) {
  console.log("dist is up to date.");
} else {
  // Loaded only now: the compilers are slow, and a run without changes does not need them.
  const { bundleAll } = await import("./build/bundles.mjs");
  const { declare } = await import("./build/declarations.mjs");
  const { writeLauncher } = await import("./build/launcher.mjs");
  // Next to dist instead of in the temporary folder: a rename only works within one file system.
  const fresh = mkdtempSync(`${dist}.new-`);
  // mkdtemp creates it for its owner alone, but everybody may use an installation.
  chmodSync(fresh, 0o755);
  try {
    const parts = [declare(fresh), bundleAll(fresh), writeLauncher(join(fresh, "terraform"))];
    // Waits for all of them, because they write to the folder, and reports all errors at once.
    const failed = (await Promise.allSettled(parts)).filter(({ status }) => status === "rejected");
    if (failed.length > 0) throw new Error(failed.map(({ reason }) => reason.message).join("\n"));
    writeStamp(fresh);
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
