// The provider as the registries and mirrors of Terraform and OpenTofu take it: archives by
// platform (`iam-tokens install --packed`), their checksums, and the versions of the protocol.

import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { filesUnder } from "./dist-folder.mjs";
import { MANIFEST, root, run, writeJson } from "./project.mjs";

/** @param folder gets `registry` and `mirror` */
export function packTerraform(folder) {
  rmSync(folder, { recursive: true, force: true });
  const [registry, mirror] = ["registry", "mirror"].map((name) => join(folder, name));
  run(process.execPath, [join(root, "dist/cli/main.js"), "install", "--packed", mirror]);
  mkdirSync(registry, { recursive: true });
  const archives = filesUnder(mirror).filter((path) => path.endsWith(".zip"));
  for (const path of archives) cpSync(path, join(registry, path.split(/[\\/]/).at(-1)));
  const name = `terraform-provider-iam_${MANIFEST.version}`;
  const manifest = { version: 1, metadata: { protocol_versions: ["6.0"] } };
  writeJson(join(registry, `${name}_manifest.json`), manifest);
  const sums = readdirSync(registry)
    .sort()
    .map((file) => {
      const hash = createHash("sha256").update(readFileSync(join(registry, file)));
      return `${hash.digest("hex")}  ${file}\n`;
    });
  writeFileSync(join(registry, `${name}_SHA256SUMS`), sums.join(""));
}
