// What the release workflow runs on a tag, to its end: in a copy of the checkout, with that tag;
// and that its files are the same as here. The provider's checksum is in users' lock files, and a
// tarball's in theirs.

import { createHash } from "node:crypto";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { filesUnder } from "../../lib/build/dist-folder.mjs";
import { NODE_PLATFORMS } from "../../lib/build/node-builds.mjs";
import { MANIFEST, root, run } from "../../lib/build/project.mjs";
import { languagesHere } from "../languages/languages-here.mjs";
import { report } from "./problems.mjs";

const NOT_COPIED = ["node_modules", ".git", "packed", "cdktf.out", "dist"];
const tag = `v${MANIFEST.version}`;
/** The version that is being made has the lines of "Unreleased", as CONTRIBUTING.md wants it. */
const RELEASED = `# Changelog\n\n## ${MANIFEST.version}\n\n- **The notes**\n\n## 0.0.1\n\nOlder.\n`;

/** Copies the checkout, and runs `check` there: first in states that it has to refuse. */
export function checkRelease(folder) {
  cpSync(root, folder, {
    recursive: true,
    preserveTimestamps: true,
    filter: (path) => !NOT_COPIED.includes(relative(root, path)),
  });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "dir");
  const git = (...args) =>
    run("git", ["-c", "user.name=x", "-c", "user.email=x@x.invalid", ...args], { cwd: folder });
  const changelog = (text) => writeFileSync(join(folder, "CHANGELOG.md"), text);
  const problems = [];
  const refuses = (reason) => {
    try {
      release(folder, "check");
      problems.push(`It did not refuse: ${reason}`);
    } catch (error) {
      if (!error.message.includes(reason)) throw error;
    }
  };
  changelog(RELEASED);
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message=x");
  git("tag", "v0.0.1");
  refuses(`The tag is v0.0.1, and package.json has version ${MANIFEST.version}.`);
  git("tag", "--delete", "v0.0.1");
  git("tag", tag);
  changelog(RELEASED.replace(MANIFEST.version, "9.9.9"));
  refuses(`CHANGELOG.md has no chapter ${MANIFEST.version}.`);
  changelog(RELEASED.replace("# Changelog\n", "$&\n## Unreleased\n\n- A line.\n"));
  refuses('CHANGELOG.md has lines under "Unreleased"');
  changelog(RELEASED);
  report(problems);
  release(folder, "check");
}

/** `pack` in that copy: all that the jobs of the workflow publish. */
export function checkPack(folder) {
  // The group `languages` packs all of them.
  const languages = languagesHere().slice(0, 1);
  // Each platform has its own Node.js, of 100 MB; Linux has two.
  const platform = NODE_PLATFORMS.at(-1);
  release(folder, "pack", platform, ...languages);
  const packed = join(folder, "packed");
  const names = filesUnder(packed).map((path) => relative(packed, path));
  const sums = readFileSync(join(packed, "SHA256SUMS"), "utf8");
  const hashOf = (name) =>
    createHash("sha256")
      .update(readFileSync(join(packed, name)))
      .digest("hex");
  const summed = names.filter((name) => !["SHA256SUMS", "notes.md"].includes(name));
  const expected = [
    ...["cdktf", "cdktn"].flatMap((framework) =>
      ["tgz", "cdx.json"].map((end) => `${framework}-iam-tokens-${MANIFEST.version}.${end}`),
    ),
    `registry/terraform-provider-iam_${MANIFEST.version}_${platform}.zip`,
    ...languages.map((each) => `${each}/`),
  ];
  report([
    ...expected
      .filter((name) => !names.some((each) => each.startsWith(name)))
      .map((name) => `packed/ has no ${name}`),
    ...(sums === summed.map((name) => `${hashOf(name)}  ${name}\n`).join("")
      ? []
      : ["SHA256SUMS does not have the sums of all files."]),
    ...(readFileSync(join(packed, "notes.md"), "utf8") === "- **The notes**\n"
      ? []
      : ["notes.md is not the version's chapter of CHANGELOG.md."]),
  ]);
  return `${names.length} files; of the languages ${languages.join()}`;
}

/**
 * Compares what was built and packed there, under another path, with its packages somewhere else
 * again, at another time and place, with what is here: all files of dist, and all entries of the
 * tarballs except for the changelog that was made for the check.
 */
export function checkSameBytes(tarballs, folder) {
  const here = contents(join(root, "dist"));
  const there = contents(join(folder, "dist"));
  for (const path of tarballs) {
    const name = basename(path);
    // Names, order, sizes, modes and times; and the contents.
    for (const [files, its] of [
      [here, path],
      [there, join(folder, "packed", name)],
    ])
      for (const args of [["-tvzf"], ["-xOzf"]]) {
        const words = [...args, its, "--exclude=package/CHANGELOG.md"];
        const text = run("tar", words, { encoding: "latin1" });
        files.set(`${name} ${args}`, Buffer.from(text, "latin1"));
      }
  }
  report([
    ...[...here]
      .filter(([name, bytes]) => !there.get(name)?.equals(bytes))
      .map(([name]) => `Other bytes there: ${name}`),
    ...[...there.keys()].filter((name) => !here.has(name)).map((name) => `Only there: ${name}`),
  ]);
  return `${here.size} files`;
}

function contents(dist) {
  const files = filesUnder(dist).filter((file) => !file.endsWith(".build-stamp"));
  return new Map(files.map((file) => [relative(dist, file), readFileSync(file)]));
}

/** A step of the release, without the settings of a workflow that runs this. */
function release(folder, ...args) {
  const { GITHUB_REF_NAME: _, ...env } = process.env;
  const elsewhere = { ...env, TZ: "Asia/Tokyo", LANG: "C" };
  return run(process.execPath, [join(folder, "lib/release.mjs"), ...args], {
    cwd: folder,
    env: elsewhere,
  });
}
