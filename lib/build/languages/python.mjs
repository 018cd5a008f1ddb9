// A wheel from jsii-pacmak's output.
//
// Its commands are not pacmak's. Those start jsii's runtime first (two seconds) and stay between
// the terminal and the command: a Ctrl-C then kills the command after a quarter of a second, while
// Terraform saves its state.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { filled } from "../../plugin/launcher/launcher-texts.cjs";
import { edit, MINIMUM_NODE, manifestOf, run } from "../project.mjs";
import { printProgram } from "./readme.mjs";

/** The files that the commands need; in the wheel, the package is an archive for jsii's runtime. */
const UNPACKED = [
  "package.json",
  "dist/cli",
  "dist/terraform",
  "dist/testing/index.js",
  "dist/testing/main.js",
];

/**
 * @param source jsii-pacmak's output, with setup.py
 * @param folder the npm package, unpacked
 * @param outdir the folder for the wheel
 */
export function buildWheel(source, folder, outdir) {
  const manifest = manifestOf(folder);
  const module = manifest.name.replaceAll("-", "_");
  const home = join(source, "src", module, "_jsii");
  for (const path of UNPACKED) {
    mkdirSync(dirname(join(home, "commands", path)), { recursive: true });
    cpSync(join(folder, path), join(home, "commands", path), { recursive: true });
  }
  for (const [name, program] of Object.entries(manifest.bin))
    writeFileSync(join(home, "bin", name), commandScript(manifest.name, module, program));
  addToPackage(join(source, "setup.py"), `${module}._jsii`, "commands/**/*");
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

function commandScript(name, module, program) {
  return filled(readFileSync(join(import.meta.dirname, "command.py"), "utf8"), {
    NAME: name,
    MODULE: module,
    PROGRAM: program.replace(/^\.\//, ""),
    NODE: MINIMUM_NODE,
  });
}

/** The generated setup.py has its settings as JSON between two lines of quotes. */
function addToPackage(path, module, files) {
  edit(path, (text) => {
    const [head, settings, tail] = text.split('"""');
    const parsed = JSON.parse(settings);
    parsed.package_data[module].push(files);
    return [head, JSON.stringify(parsed, null, 2), tail].join('"""');
  });
}
