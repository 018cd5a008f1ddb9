// Packs the packages into packed/ (npm run pack): the npm tarballs of cdktf-iam-tokens and
// cdktn-iam-tokens, or, with `languages` or names of some, the packages for other languages:
//
//   packed/python/  wheels          packed/java/  a Maven repository
//   packed/go/      Go modules
//
// or, with `terraform`, the provider for plain HCL:
//
//   packed/terraform/registry/  the files of a release in a registry; the owner signs SHA256SUMS
//   packed/terraform/mirror/    a filesystem mirror, and the files of a network mirror
//
// The tools of each language have to be there: Python with pip, Go, Maven.
//
//   npm run pack [-- languages | terraform | [python] [go] [java]]

import { mkdtempSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { filesUnder } from "./build/dist-folder.mjs";
import { copyModule, keepOthersOut } from "./build/languages/go.mjs";
import { deployPackage, installFrameworks } from "./build/languages/java.mjs";
import { unpackPackage } from "./build/languages/npm-package.mjs";
import { buildWheel } from "./build/languages/python.mjs";
import { printProgram } from "./build/languages/readme.mjs";
import { installTools } from "./build/languages/tools.mjs";
import { packBoth } from "./build/pack.mjs";
import { root } from "./build/project.mjs";
import { packTerraform } from "./build/terraform.mjs";

const packed = join(root, "packed");

/** By language: how a package is made of the sources that pacmak generates. */
const LANGUAGES = {
  python: { build: buildWheel },
  go: {
    build(source, folder, outdir) {
      const module = copyModule(source, folder, outdir);
      keepOthersOut(module);
      printProgram(join(module, "README.md"), folder, "go", "main.go");
    },
  },
  java: { prepare: installFrameworks, build: deployPackage },
};

const words = process.argv.slice(2);
const named = words.filter((word) => !["languages", "terraform"].includes(word));
const unknown = named.filter((name) => !(name in LANGUAGES));
if (unknown.length > 0)
  throw new Error(`no such language: ${unknown.join(", ")}; ${Object.keys(LANGUAGES).join(", ")}`);

if (words.length === 0) {
  rmSync(packed, { recursive: true, force: true });
  for (const path of packBoth(packed)) console.log(path.slice(root.length + 1));
}
if (words.includes("terraform")) packTerraform(join(packed, "terraform"));
if (named.length > 0 || words.includes("languages"))
  packLanguages(named.length > 0 ? named : Object.keys(LANGUAGES));

function packLanguages(languages) {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "languages-")));
  try {
    const tools = installTools();
    const folders = packBoth(scratch).map((tarball) => unpackPackage(tarball, scratch, tools));
    for (const language of languages) {
      const outdir = join(packed, language);
      rmSync(outdir, { recursive: true, force: true });
      const { prepare, build } = LANGUAGES[language];
      const context = { folders, scratch, tools };
      prepare?.(context);
      for (const folder of folders) {
        const source = mkdtempSync(join(scratch, "generated-"));
        tools.pacmak(["--targets", language, "--outdir", source, "--code-only", folder]);
        build(join(source, language), folder, outdir, context);
      }
      const bytes = filesUnder(outdir).reduce((sum, file) => sum + statSync(file).size, 0);
      console.log(`packed/${language}: ${Math.round(bytes / 1000)} kB`);
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
