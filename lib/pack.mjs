// Packs the packages into packed/ (npm run pack): the npm tarballs of cdktf-iam-tokens and
// cdktn-iam-tokens, or, with `languages` or names of some, the packages for other languages:
//
//   packed/python/  wheels          packed/java/    a Maven repository
//   packed/go/      Go modules      packed/dotnet/  NuGet packages
//
// or, with `terraform`, the provider for plain HCL:
//
//   packed/terraform/registry/  the files of a release in a registry; the owner signs SHA256SUMS
//   packed/terraform/mirror/    a filesystem mirror, and the files of a network mirror
//
// If the tools of a language, or the libraries that it compiles against, are missing, its sources
// stay in a folder, and the missing parts are named. Exits with 1 if the tools of a named language
// exist but fail.
//
//   npm run pack [-- languages | terraform | [python] [go] [java] [dotnet]]

import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { filesUnder } from "./build/dist-folder.mjs";
import { addToProject, buildNuGet } from "./build/languages/dotnet.mjs";
import { copyModule, keepOthersOut } from "./build/languages/go.mjs";
import { deployPackage, installFrameworks } from "./build/languages/java.mjs";
import { unpackPackage } from "./build/languages/npm-package.mjs";
import { buildWheel } from "./build/languages/python.mjs";
import { printProgram } from "./build/languages/readme.mjs";
import { addReference } from "./build/languages/reference.mjs";
import { installTools, Missing } from "./build/languages/tools.mjs";
import { packBoth } from "./build/pack.mjs";
import { packTerraform } from "./build/terraform.mjs";

const root = resolve(import.meta.dirname, "..");
const packed = join(root, "packed");
const SOURCES = "-sources";

/** By language: the program that it needs, how packages are made, and what sources alone get. */
const LANGUAGES = {
  python: { needs: ["python3", "-m", "pip", "--version"], build: eachFrom(buildWheel) },
  go: {
    needs: ["go", "version"],
    build: eachFrom((source, folder, outdir, { root }) => {
      const module = copyModule(source, folder, outdir);
      keepOthersOut(module);
      addReference(root, folder, "go", module);
      printProgram(join(module, "README.md"), folder, "go", "main.go");
    }),
  },
  java: {
    needs: ["mvn", "--version"],
    build: (context) => {
      installFrameworks(context);
      eachFrom(deployPackage)(context);
    },
  },
  dotnet: {
    needs: ["dotnet", "--version"],
    build: eachFrom(buildNuGet),
    change: addToProject,
  },
};

const words = process.argv.slice(2);
const ofTerraform = words.includes("terraform");
const asked = words.filter((word) => !["languages", "terraform"].includes(word));
const unknown = asked.filter((name) => !(name in LANGUAGES));
if (unknown.length > 0)
  throw new Error(`no such language: ${unknown.join(", ")}; ${Object.keys(LANGUAGES).join(", ")}`);

if (words.length === 0) {
  rmSync(packed, { recursive: true, force: true });
  for (const path of packBoth(packed)) console.log(path.slice(root.length + 1));
}
if (ofTerraform) packTerraform(join(packed, "terraform"));
if (asked.length > 0 || words.includes("languages"))
  packLanguages(asked.length > 0 ? asked : Object.keys(LANGUAGES));

function packLanguages(languages) {
  for (const name of languages) rmSync(join(packed, name), { recursive: true, force: true });
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "languages-")));
  try {
    const tools = installTools(root);
    const folders = packBoth(scratch).map((tarball) =>
      unpackPackage(root, tarball, scratch, tools),
    );
    for (const language of languages) packOrName({ language, folders, tools, scratch });
    for (const language of languages) {
      for (const name of readdirSync(join(packed, language)))
        console.log(`packed/${language}/${name}: ${kilobytes(join(packed, language, name))} kB`);
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function isHere([program, ...args]) {
  return spawnSync(program, args).status === 0;
}

/** Packs, or leaves the sources and prints the reason. */
function packOrName({ language, folders, tools, scratch }) {
  const { needs, build, change } = LANGUAGES[language];
  const outdir = join(packed, language);
  try {
    if (!isHere(needs)) throw new Missing(`there is no ${needs.join(" ")}`);
    build({ root, language, folders, packed, outdir, scratch, tools });
  } catch (error) {
    for (const folder of folders) {
      const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const target = join(outdir, `${name}-${version}${SOURCES}`);
      cpSync(generate({ language, tools, scratch }, folder), target, { recursive: true });
      change?.(target, folder, root);
    }
    console.log(`${language}: sources only, for ${error.message}`);
    if (asked.length > 0 && !(error instanceof Missing)) process.exitCode = 1;
  }
}

/** Packages one after another, from the sources that pacmak generates. */
function eachFrom(build) {
  return (context) => {
    for (const folder of context.folders)
      build(generate(context, folder), folder, context.outdir, context);
  };
}

/** The sources of a language. */
function generate({ language, tools: { pacmak }, scratch }, folder) {
  const outdir = mkdtempSync(join(scratch, "generated-"));
  pacmak(["--targets", language, "--outdir", outdir, "--code-only", folder]);
  return join(outdir, language);
}

function kilobytes(path) {
  const bytes = filesUnder(path).reduce((sum, file) => sum + statSync(file).size, 0);
  return Math.round(bytes / 1000);
}
