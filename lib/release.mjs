// The steps of a release, for .github/workflows/release.yml and by hand:
//
//   node lib/release.mjs check   tag, CHANGELOG.md and promise are those of the version
//   node lib/release.mjs pack    packs everything twice and compares the bytes; SHA256SUMS and the
//                                SBOMs go into packed/ as well
//   node lib/release.mjs npm|go|maven [--dry-run]
//                                publishes from packed/; what is published already is left
//
// CONTRIBUTING.md, "A release", says what the owner prepares.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { filesUnder } from "./build/dist-folder.mjs";
import { run } from "./build/languages/tools.mjs";
import { REPOSITORY } from "./build/names.mjs";

const root = resolve(import.meta.dirname, "..");
const packed = join(root, "packed");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const PACKAGES = ["cdktf-iam-tokens", "cdktn-iam-tokens"];
const STEPS = { check, pack, npm: publishNpm, go: publishGo, maven: publishMaven };

const [step, ...options] = process.argv.slice(2);
const dryRun = options.includes("--dry-run");
if (!(step in STEPS) || options.some((option) => option !== "--dry-run"))
  throw new Error(`Give one of ${Object.keys(STEPS).join(", ")}, and perhaps --dry-run.`);
STEPS[step]();

function check() {
  const tag = process.env.GITHUB_REF_NAME ?? git("describe", "--tags", "--exact-match").trim();
  if (tag !== `v${version}`)
    throw new Error(`The tag is ${tag}, and package.json has version ${version}.`);
  if (!new RegExp(`^## ${version.replaceAll(".", "\\.")}$`, "m").test(textOf("CHANGELOG.md")))
    throw new Error(`CHANGELOG.md has no chapter ${version}.`);
  run("npm", ["run", "docs", "--", "--promise"], { cwd: root });
  const changed = git("status", "--porcelain", "docs", "test/compatibility", "README.md");
  if (changed !== "")
    throw new Error(`Run "npm run docs -- --promise" and commit, before the tag:\n${changed}`);
}

function pack() {
  const first = `${packed}-first`;
  rmSync(first, { recursive: true, force: true });
  packAll();
  renameSync(packed, first);
  rmSync(join(root, "dist"), { recursive: true });
  packAll();
  const [one, other] = [first, packed].map(sumsOf);
  const differing = one
    .filter((line) => !other.includes(line))
    .concat(other.filter((line) => !one.includes(line)));
  if (differing.length > 0)
    throw new Error(`The second packing has other bytes:\n${differing.sort().join("\n")}`);
  rmSync(first, { recursive: true });
  for (const name of PACKAGES) {
    const sbom = run("tar", ["-xzOf", tarballOf(name), "package/dist/sbom.cdx.json"]);
    writeFileSync(join(packed, `${name}-${version}.cdx.json`), sbom);
  }
  const sums = sumsOf(packed);
  writeFileSync(join(packed, "SHA256SUMS"), `${sums.join("\n")}\n`);
  console.log(`${sums.length} files, with the same bytes in both packings`);
}

function packAll() {
  for (const args of [[], ["--", "terraform"], ["--", "languages"]])
    run("npm", ["run", "pack", "--silent", ...args], { cwd: root, stdio: "inherit" });
}

function sumsOf(folder) {
  return filesUnder(folder).map((path) => {
    const hash = createHash("sha256").update(readFileSync(path)).digest("hex");
    return `${hash}  ${relative(folder, path).replaceAll("\\", "/")}`;
  });
}

function publishNpm() {
  for (const name of PACKAGES) {
    const found = spawnSync("npm", ["view", `${name}@${version}`, "version"], { encoding: "utf8" });
    if (!dryRun && found.stdout.trim() === version) {
      console.log(`npm has ${name} ${version}`);
      continue;
    }
    const how = dryRun ? ["--dry-run", "--provenance=false"] : ["--provenance"];
    run("npm", ["publish", tarballOf(name), "--access", "public", ...how], { stdio: "inherit" });
  }
}

/** Each module has its repository; a subfolder's versions are tags with its name. */
function publishGo() {
  const remotes = process.env.GO_REMOTES ?? REPOSITORY.replace(/\/[^/]+$/, "");
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "release-")));
  try {
    for (const name of PACKAGES.map((each) => `${each}-go`)) {
      const clone = join(scratch, name);
      run("git", ["clone", "--quiet", `${remotes}/${name}.git`, clone]);
      const tag = `iamtokens/v${version}`;
      const at = (...args) => run("git", ["-C", clone, ...args]);
      if (at("tag", "--list", tag).trim() !== "") {
        console.log(`${name} has ${tag}`);
        continue;
      }
      rmSync(join(clone, "iamtokens"), { recursive: true, force: true });
      cpSync(join(packed, "go", name), clone, { recursive: true });
      at("add", "--all");
      at("commit", "--quiet", "--message", `Version ${version}, from ${REPOSITORY}`);
      at("tag", tag);
      at("push", "--atomic", ...(dryRun ? ["--dry-run"] : []), "origin", "HEAD", tag);
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Maven Central takes one archive of a repository, in which each file is signed. */
function publishMaven() {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "release-")));
  const bundle = join(packed, `maven-central-${version}.zip`);
  try {
    cpSync(join(packed, "java"), scratch, { recursive: true });
    for (const path of filesUnder(scratch).filter((file) => /\.(jar|pom)$/.test(file)))
      run("gpg", ["--batch", "--armor", "--detach-sign", path]);
    rmSync(bundle, { force: true });
    run("jar", ["--create", "--no-manifest", "--file", bundle, "-C", scratch, "."]);
    if (dryRun) return console.log(`${bundle} would be sent`);
    const { MAVEN_CENTRAL_UPLOAD: url, MAVEN_CENTRAL_TOKEN: token } = process.env;
    // The header comes from standard input: arguments are visible to other processes.
    const args = ["--fail", "--silent", "--show-error", "--header", "@-", "--form"];
    run("curl", [...args, `bundle=@${bundle}`, url], { input: `Authorization: Bearer ${token}` });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function tarballOf(name) {
  return join(packed, `${name}-${version}.tgz`);
}

function git(...args) {
  return run("git", args, { cwd: root });
}

function textOf(path) {
  return readFileSync(join(root, path), "utf8");
}
