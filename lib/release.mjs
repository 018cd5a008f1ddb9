// What a release needs before publib publishes it (.github/workflows/release.yml):
//
//   node lib/release.mjs check         tag and CHANGELOG.md are those of the version, and what is
//                                      made from the code is up to date
//   node lib/release.mjs pack [NAME…]  all packages in packed/, with their SBOMs, SHA256SUMS and the
//                                      release's notes; of languages and platforms only those named
//
// test/packaging/rehearsal.mjs runs both. CONTRIBUTING.md, "A release", says what the owner
// prepares.

import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { filesUnder } from "./build/dist-folder.mjs";
import { MANIFEST, root, run, runBeside } from "./build/project.mjs";

const packed = join(root, "packed");
const { version } = MANIFEST;
const STEPS = { check, pack };

const [step, ...names] = process.argv.slice(2);
if (!(step in STEPS)) throw new Error(`Give one of ${Object.keys(STEPS).join(", ")}.`);
await STEPS[step]();

function check() {
  const git = (...args) => run("git", args, { cwd: root });
  const tag = process.env.GITHUB_REF_NAME ?? git("describe", "--tags", "--exact-match").trim();
  if (tag !== `v${version}`)
    throw new Error(`The tag is ${tag}, and package.json has version ${version}.`);
  if (!chapter(version)) throw new Error(`CHANGELOG.md has no chapter ${version}.`);
  if (chapter("Unreleased"))
    throw new Error(`CHANGELOG.md has lines under "Unreleased": they belong to ${version}.`);
  run("npm", ["run", "docs"], { cwd: root });
  const changed = git("status", "--porcelain", "docs", "examples");
  if (changed !== "") throw new Error(`Run "npm run docs" and commit, before the tag:\n${changed}`);
}

async function pack() {
  const platforms = names.filter((name) => name.includes("_"));
  const languages = names.filter((name) => !name.includes("_"));
  const npmRunPack = (...args) =>
    runBeside("npm", ["run", "pack", "--silent", "--", ...args], { cwd: root, stdio: "inherit" });
  rmSync(packed, { recursive: true, force: true });
  await npmRunPack();
  await Promise.all([
    npmRunPack("registry", ...platforms),
    npmRunPack(...(languages.length > 0 ? languages : ["languages"]), "--packed"),
  ]);
  for (const name of ["cdktf-iam-tokens", "cdktn-iam-tokens"].map((name) => `${name}-${version}`)) {
    const sbom = run("tar", ["-xzOf", join(packed, `${name}.tgz`), "package/dist/sbom.cdx.json"]);
    writeFileSync(join(packed, `${name}.cdx.json`), sbom);
  }
  const sums = filesUnder(packed).map((path) => {
    const hash = createHash("sha256").update(readFileSync(path)).digest("hex");
    return `${hash}  ${relative(packed, path).replaceAll("\\", "/")}\n`;
  });
  writeFileSync(join(packed, "SHA256SUMS"), sums.join(""));
  writeFileSync(join(packed, "notes.md"), `${chapter(version)}\n`);
}

/** The lines of a chapter of CHANGELOG.md; undefined if it is not there, or empty. */
function chapter(title) {
  const chapters = readFileSync(join(root, "CHANGELOG.md"), "utf8").split(/^## /m);
  const lines = chapters.find((each) => each.startsWith(`${title}\n`))?.slice(title.length);
  return lines?.trim() || undefined;
}
