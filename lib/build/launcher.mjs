// The files that Terraform starts: a shell script, a program for Windows, and the check of
// Node's version before the provider is loaded.

import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { launcherTexts } from "../plugin/launcher/launcher-texts.cjs";
import { MANIFEST, MINIMUM_NODE } from "./project.mjs";
import { EXTRA_CA_VARIABLE, windowsLauncher } from "./windows-launcher.mjs";

/** The script that Terraform starts, and `main.cjs`; with Node.js next to them or not. */
export const texts = (withNode) =>
  launcherTexts({
    title: `The Terraform provider iam (cdktf-iam-tokens ${MANIFEST.version})`,
    minimumNode: MINIMUM_NODE,
    extraCaVariable: EXTRA_CA_VARIABLE,
    handoverVariable: "IAM_TOKENS_HANDOVER",
    prefix: "iam-tokens",
    withNode,
  });

/** Writes the launchers into `outdir`. */
export function writeLauncher(outdir) {
  const name = `terraform-provider-iam_v${MANIFEST.version}`;
  const { script, main } = texts(false);
  mkdirSync(join(outdir, "windows"), { recursive: true });
  writeFileSync(join(outdir, name), script);
  chmodSync(join(outdir, name), 0o755);
  writeFileSync(join(outdir, "main.cjs"), main);
  writeFileSync(join(outdir, "windows", `${name}.exe`), windowsLauncher());
}
