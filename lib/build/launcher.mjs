// The two small files that Terraform starts: the sh part, and the part that checks the version of Node.

import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export async function writeLauncher(root, outdir, version) {
  const executable = join(outdir, `terraform-provider-iam_v${version}`);
  if (!existsSync(join(root, "lib/plugin/launcher"))) {
    writeFileSync(executable, "#!/bin/sh\necho 'The launcher is not built yet.'\nexit 1\n");
    writeFileSync(join(outdir, "main.cjs"), "require('./provider.cjs');\n");
  }
  chmodSync(executable, 0o755);
}
