// The package for CDK Terrain, made from the packed package for CDKTF. The provider in it has the
// same bytes. In the programs, "cdktf" becomes "cdktn" in imports and in lib/framework.ts; in
// declarations, pages and examples, names become those of the other package. Nothing else differs.
//
//   node lib/build/terrain.mjs FOLDER   writes it into a folder; dist must be built

import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { filesUnder } from "./dist-folder.mjs";
import { MANIFEST, root, run } from "./project.mjs";

/** The frameworks' versions that the tests use: the oldest that a package allows. */
const { cdktf, cdktn } = MANIFEST.devDependencies;
const [CDKTF, CDKTN] = [cdktf, cdktn].map((range) => range.replace("^", ""));

/** The framework's names in other languages, as on pages. */
const ELSEWHERE = [
  [
    `github.com/hashicorp/terraform-cdk-go/cdktf v${CDKTF}`,
    `github.com/open-constructs/cdk-terrain-go/cdktn v${CDKTN}`,
  ],
  ["github.com/hashicorp/terraform-cdk-go", "github.com/open-constructs/cdk-terrain-go"],
  ["com.hashicorp.cdktf", "io.cdktn.cdktn"],
  ["<groupId>com.hashicorp</groupId>", "<groupId>io.cdktn</groupId>"],
  [`<version>${CDKTF}</version>`, `<version>${CDKTN}</version>`],
];

/**
 * What a package has in addition to dist. Not in the checkout's manifest: a direct `npm pack` would
 * take all that lies there.
 */
export const PACKED_PAGES = [
  ...["docs", "examples", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"],
];

/** Not the figures, which were measured with cdktf, and not the page on moving to the other. */
const PAGES = /^(README|SECURITY|docs\/(?!speed\b|terrain\.md).*|examples\/.*)\.md$/;
/** Not the kits, which work with both: their variable CDK contains the command line's name. */
const PROGRAMS = /^(examples\/.*\.(ts|json)|docs\/languages\/.*)$/;

/** The manifest of the other package, without the scripts and dependencies of a checkout. */
function terrainManifest({ scripts, devDependencies, ...manifest }) {
  return {
    ...manifest,
    name: ofTerrain(manifest.name),
    description: ofTerrain(manifest.description),
    // Registries of constructs list what has the keyword cdktf; it works with CDK Terrain as well.
    keywords: ["cdktn", "cdk-terrain", ...manifest.keywords],
    // The provider, whose bytes are the same, prints commands with the first one's name.
    bin: { ...manifest.bin, [ofTerrain(manifest.name)]: manifest.bin[manifest.name] },
    // Synthesis warns about a minor version that no test here used. constructs as cdktn requires it.
    peerDependencies: { cdktn: `>=${CDKTN} <1`, constructs: "^10.6.0" },
  };
}

/** A file of the other package, by its path in the package. */
function terrainFile(path, bytes) {
  if (path === "package.json") {
    const manifest = terrainManifest(JSON.parse(bytes.toString("utf8")));
    return Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`);
  }
  if (path.startsWith("dist/terraform/")) return bytes;
  const change = path.endsWith(".js")
    ? imported
    : /\.(d\.ts|cdx\.json)$/.test(path) || PAGES.test(path) || PROGRAMS.test(path)
      ? inPage
      : undefined;
  return change === undefined ? bytes : Buffer.from(change(bytes.toString("utf8")));
}

/** Writes the other package into a folder, with all files that npm may pack. */
export const writeTerrain = (folder) => writePackage(folder, terrainFile);

/**
 * Writes this package into a folder: dist, and of the checkout only what Git tracks. Whoever has
 * tried an example has states and values of variables next to it. `change` may edit a file on the
 * way.
 */
export function writePackage(folder, change = (_, bytes) => bytes) {
  const named = ["package.json", "README.md", "LICENSE", ...PACKED_PAGES];
  const tracked = run("git", ["ls-files", "-z", "--", ...named], { cwd: root }).split("\0");
  const built = filesUnder(join(root, "dist")).map((file) => relative(root, file));
  for (const name of [...built, ...tracked].filter(Boolean)) {
    const path = name.replaceAll("\\", "/");
    const to = join(folder, path);
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, change(path, readFileSync(join(root, name))));
    chmodSync(to, statSync(join(root, name)).mode & 0o777);
  }
}

/** Sources and programs: the framework in imports and in lib/framework.ts. */
const imported = (text) => text.replace(/"cdktf(\/lib\/util)?"/g, '"cdktn$1"');

/** The same sources, with the names in their docstrings, which other languages show. */
export const documented = (text) =>
  imported(text).replaceAll(/^ *(?:\/\*)?\*.*$/gm, (line) => inPage(line));

/**
 * A page or a declaration. A line that names both packages describes their difference, and stays;
 * so do names that both share: the provider's address, cdktf.json, cdktf.out, the GitHub
 * organization.
 */
export const inPage = (text) =>
  text
    .split("\n")
    .map((line) => (/[Cc]dktn|Terrain/.test(line) ? line : ofTerrain(line)))
    .join("\n");

const ofTerrain = (text) =>
  ELSEWHERE.reduce((changed, [theirs, ours]) => changed.replaceAll(theirs, ours), text)
    .replaceAll(
      /(?<!npm\.invalid\/|github\.com\/|io\.github\.)\bcdktf(?:\b|(?=_iam))(?!\.(?:json|out)\b)/g,
      "cdktn",
    )
    .replaceAll(/\bCDKTF\b/g, "CDKTN")
    .replaceAll("CDK for Terraform", "CDK Terrain");

if (process.argv[1] === import.meta.filename) writeTerrain(resolve(process.argv[2]));
