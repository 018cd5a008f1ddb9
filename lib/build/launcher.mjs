// The two small files that Terraform starts: a shell script, and the check of Node's version before
// the provider is loaded.

import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

/** Writes them from the texts of the plugin room. */
export async function writeLauncher(root, outdir, { version, engines }) {
  const { launcherScript, mainScript } = await load(root, "lib/plugin/launcher/index.ts");
  const options = {
    title: `The Terraform provider iam (cdktf-iam-tokens ${version})`,
    minimumNode: engines.node.replace(">=", ""),
    extraCaVariable: "IAM_TOKENS_EXTRA_CA_CERTS",
    handover: { variable: "IAM_TOKENS_HANDOVER", prefix: "iam-tokens" },
  };
  const executable = join(outdir, `terraform-provider-iam_v${version}`);
  writeFileSync(executable, launcherScript(options));
  chmodSync(executable, 0o755);
  writeFileSync(join(outdir, "main.cjs"), mainScript(options));
}

/** A TypeScript module of lib, as this program can call it. */
async function load(root, entry) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
  });
  return import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`
  );
}
