// Writes CDK Terrain's Go module, made from npm's package, into a folder: not every module proxy
// has it. The pack has installed the tools.
//
//   node test/languages/framework-in-go.mjs FOLDER   FOLDER/cdktn-go/cdktn is the module

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { copyModule } from "../../lib/build/languages/go.mjs";
import { installTools } from "../../lib/build/languages/tools.mjs";

const root = resolve(import.meta.dirname, "../..");
const folder = join(root, "node_modules/cdktn");
const scratch = mkdtempSync(join(realpathSync(tmpdir()), "cdktn-go-"));
try {
  const { pacmak } = installTools();
  pacmak(["--targets", "go", "--outdir", scratch, "--code-only", "--no-npmignore", folder]);
  copyModule(join(scratch, "go"), folder, resolve(process.argv[2]));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
