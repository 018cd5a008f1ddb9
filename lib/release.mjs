// What a release needs before publib publishes it (.github/workflows/release.yml):
//
//   node lib/release.mjs check   tag and CHANGELOG.md are those of the version, and what is made
//                                from the code is up to date
//   node lib/release.mjs pack    all packages in packed/, with their SBOMs and SHA256SUMS
//
// CONTRIBUTING.md, "A release", says what the owner prepares.

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { filesUnder } from "./build/dist-folder.mjs";
import { run } from "./build/languages/tools.mjs";

const root = resolve(import.meta.dirname, "..");
const packed = join(root, "packed");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const STEPS = { check, pack };

const [step] = process.argv.slice(2);
if (!(step in STEPS)) throw new Error(`Give one of ${Object.keys(STEPS).join(", ")}.`);
STEPS[step]();

function check() {
  const git = (...args) => run("git", args, { cwd: root });
  const tag = process.env.GITHUB_REF_NAME ?? git("describe", "--tags", "--exact-match").trim();
  if (tag !== `v${version}`)
    throw new Error(`The tag is ${tag}, and package.json has version ${version}.`);
  if (!readFileSync(join(root, "CHANGELOG.md"), "utf8").split("\n").includes(`## ${version}`))
    throw new Error(`CHANGELOG.md has no chapter ${version}.`);
  run("npm", ["run", "docs"], { cwd: root });
  const changed = git("status", "--porcelain", "docs", "README.md");
  if (changed !== "") throw new Error(`Run "npm run docs" and commit, before the tag:\n${changed}`);
}

function pack() {
  for (const args of [[], ["--", "terraform"], ["--", "languages"]])
    run("npm", ["run", "pack", "--silent", ...args], { cwd: root, stdio: "inherit" });
  for (const name of ["cdktf-iam-tokens", "cdktn-iam-tokens"].map((its) => `${its}-${version}`)) {
    const sbom = run("tar", ["-xzOf", join(packed, `${name}.tgz`), "package/dist/sbom.cdx.json"]);
    writeFileSync(join(packed, `${name}.cdx.json`), sbom);
  }
  const sums = filesUnder(packed).map((path) => {
    const hash = createHash("sha256").update(readFileSync(path)).digest("hex");
    return `${hash}  ${relative(packed, path).replaceAll("\\", "/")}\n`;
  });
  writeFileSync(join(packed, "SHA256SUMS"), sums.join(""));
}
