// A wheel from jsii-pacmak's output.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { edit, manifestOf, run } from "../project.mjs";
import { printProgram } from "./readme.mjs";

/**
 * @param source jsii-pacmak's output, with setup.py
 * @param folder the npm package, unpacked
 * @param outdir the folder for the wheel
 */
export function buildWheel(source, folder, outdir) {
  const module = manifestOf(folder).name.replaceAll("-", "_");
  alwaysCheckTypes(join(source, "src", module, "__init__.py"));
  printProgram(join(source, "README.md"), folder, "python", "main.py");
  const pip = ["-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"];
  mkdirSync(outdir, { recursive: true });
  // The time in npm's own archives: the same input gives the same bytes.
  const env = { ...process.env, SOURCE_DATE_EPOCH: "499162500" };
  run("python3", [...pip, "--wheel-dir", outdir, source], { env });
}

/**
 * pacmak's code checks the types of arguments unless Python runs with -O. jsii's runtime would then
 * refuse a literal password in the place of a SecretRef, and print it.
 */
function alwaysCheckTypes(path) {
  edit(path, (text) => text.replaceAll("if __debug__:", "if True:"));
}
