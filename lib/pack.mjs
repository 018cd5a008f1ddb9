// Packs the packages into packed/ (npm run pack): the npm tarballs of cdktf-iam-tokens and
// cdktn-iam-tokens, or, with `languages` or names of some, the packages for other languages:
//
//   packed/python/  wheels          packed/java/  a Maven repository
//   packed/go/      Go modules
//
// or, with `registry`, the files of a release in a registry of Terraform or OpenTofu: the provider
// with Node.js for each platform, or for some, and its pages, in packed/registry/. With `--sign`, gpg
// signs their sums with this key.
//
// The tools of each language have to be there: Python with pip, Go, Maven.
//
//   npm run pack [-- languages | [python] [go] [java]] [--packed]   of the tarballs in packed/
//   npm run pack -- registry [--sign KEY] [PLATFORM…]

import { mkdtempSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { filesUnder } from "./build/dist-folder.mjs";
import { copyModule, keepOthersOut } from "./build/languages/go.mjs";
import { deployPackage, installFrameworks } from "./build/languages/java.mjs";
import { unpackPackage } from "./build/languages/npm-package.mjs";
import { buildWheel } from "./build/languages/python.mjs";
import { printProgram } from "./build/languages/readme.mjs";
import { installTools } from "./build/languages/tools.mjs";
import { NODE_PLATFORMS } from "./build/node-builds.mjs";
import { packBoth, tarballsIn } from "./build/pack.mjs";
import { root } from "./build/project.mjs";
import { packRegistry } from "./build/registry.mjs";

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

const { positionals, values } = parseArgs({
  options: { sign: { type: "string" }, packed: { type: "boolean" } },
  allowPositionals: true,
});
const [kind] = positionals;
if (kind === undefined) {
  for (const path of await packBoth(packed)) console.log(path.slice(root.length + 1));
} else if (kind === "registry") {
  const platforms = selected(positionals.slice(1), NODE_PLATFORMS);
  await packRegistry(join(packed, "registry"), { platforms, key: values.sign });
} else {
  const languages = Object.keys(LANGUAGES);
  await packLanguages(kind === "languages" ? languages : selected(positionals, languages));
}

/** What is named, or all. */
function selected(names, all) {
  const unknown = names.filter((name) => !all.includes(name));
  if (unknown.length > 0) throw new Error(`${unknown.join(", ")}: give some of ${all.join(", ")}`);
  return names.length > 0 ? names : all;
}

async function packLanguages(languages) {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "languages-")));
  try {
    const tools = installTools();
    const tarballs = values.packed ? tarballsIn(packed) : await packBoth(scratch);
    const folders = tarballs.map((tarball) => unpackPackage(tarball, scratch, tools));
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
