// A Go module from jsii-pacmak's output: its sources are the module.

import { cpSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { filesUnder } from "../dist-folder.mjs";
import { edit, manifestOf, readJson } from "../project.mjs";

/**
 * @param source jsii-pacmak's output: the folder of the package
 * @param folder the npm package
 * @param outdir the folder for modules, each in the folder of its repository
 * @returns the module's folder
 */
export function copyModule(source, folder, outdir) {
  const { name, jsii } = manifestOf(folder);
  const { dependencies } = readJson(join(folder, ".jsii"));
  const target = join(outdir, `${name}-go`);
  cpSync(source, target, { recursive: true });
  // pacmak requires the installed version. Go treats that as the minimum, and not every version of
  // constructs is a module.
  const [least] = /\d+\.\d+\.\d+/.exec(dependencies.constructs);
  const path = join(target, jsii.targets.go.packageName, "go.mod");
  edit(path, (text) => text.replace(/(constructs\/v10 v)[\d.]+/, `$1${least}`));
  return dirname(path);
}

/**
 * A class without members of its own becomes an empty interface, which every value in Go fulfills:
 * a literal password in the place of a SecretRef would compile, and jsii's runtime would print it
 * as what it refuses.
 *
 * @param module the folder of this package's module
 */
export function keepOthersOut(module) {
  const isEmpty = /^type \w+ interface \{\n(?=\}$)/m;
  for (const path of filesUnder(module).filter((each) => each.endsWith(".go")))
    if (isEmpty.test(readFileSync(path, "utf8")))
      edit(path, (text) =>
        text
          .replace(isEmpty, (start) => `${start}\tis${start.split(" ")[1]}()\n`)
          .replace(
            /^type jsiiProxy_(\w+) struct \{[^}]*\}\n/m,
            "$&\nfunc (*jsiiProxy_$1) is$1() {}\n",
          ),
      );
}
