// The provider as Terraform's and OpenTofu's registries take it: archives with Node.js next to the
// launcher, for machines that have none; the versions of the protocol, the sums and their signature.

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zipSync } from "fflate";
import { texts } from "./launcher.mjs";
import { NODE_PLATFORMS, nodeFor } from "./node-builds.mjs";
import { MANIFEST, readJson, root, run, writeJson } from "./project.mjs";
import { writeRegistryPages } from "./registry-pages.mjs";

const BUILT = join(root, "dist/terraform");
const LAUNCHER = `terraform-provider-iam_v${MANIFEST.version}`;

/**
 * Writes the files of a release, and the pages that go with it.
 *
 * @param folder is replaced
 * @param platforms of which archives are made; by default, of all
 * @param key of gpg, which signs the sums; by default, the owner does
 * @param cache where Node.js is kept between runs; by default, in the user's cache folder
 * @param level of compression: the best, or 0 for none, which saves a test a minute
 */
export async function packRegistry(
  folder,
  { platforms = NODE_PLATFORMS, key, level = 9, cache } = {},
) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const name = `terraform-provider-iam_${MANIFEST.version}`;
  for (const platform of platforms) {
    const path = join(folder, `${name}_${platform}.zip`);
    writeFileSync(path, archive(filesFor(platform, cache), level));
    console.log(`${path.slice(root.length + 1)}: ${Math.round(statSync(path).size / 1e6)} MB`);
  }
  const manifest = { version: 1, metadata: { protocol_versions: ["6.0"] } };
  writeJson(join(folder, `${name}_manifest.json`), manifest);
  const sums = join(folder, `${name}_SHA256SUMS`);
  writeFileSync(sums, sumsOf(folder));
  await writeRegistryPages(folder);
  if (key === undefined) return;
  // Detached and binary: registries accept no other.
  run("gpg", ["--batch", "--yes", "--local-user", key, "--detach-sign", sums]);
}

/** The files of an archive: those of the light provider, with a launcher that knows Node.js. */
function filesFor(platform, cache) {
  const shared = readdirSync(BUILT, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== LAUNCHER)
    .map((entry) => file(entry.name, readFileSync(join(BUILT, entry.name))));
  const program = `${LAUNCHER}.exe`;
  const launcher = platform.startsWith("windows_")
    ? file(program, readFileSync(join(BUILT, "windows", program)), 0o755)
    : file(LAUNCHER, Buffer.from(texts(true).script), 0o755);
  const node = nodeFor(platform, cache).map((each) => ({ ...each, name: `node/${each.name}` }));
  return [...shared, launcher, file("sbom.cdx.json", sbomWith(node)), ...node];
}

const file = (name, content, mode = 0o644) => ({ name, content, mode });

/** The SBOM of the light provider, with the programs of Node.js. */
function sbomWith(node) {
  const { metadata, components, ...sbom } = readJson(join(root, "dist/sbom.cdx.json"));
  const programs = node.filter(({ version }) => version !== undefined);
  const added = programs.map(({ version }) => ({
    type: "application",
    name: "node",
    version,
    licenses: [{ license: { id: "MIT" } }],
    purl: `pkg:generic/node@${version}`,
  }));
  const described = {
    ...metadata,
    component: { ...metadata.component, name: "terraform-provider-iam" },
  };
  const all = { ...sbom, metadata: described, components: [...components, ...added] };
  return Buffer.from(`${JSON.stringify(all, null, 2)}\n`);
}

/**
 * The same bytes each time and everywhere: the compressor is a package at a fixed version, and all
 * files have the oldest time that the format knows.
 */
function archive(files, level) {
  const sorted = [...files].sort((a, b) => (a.name < b.name ? -1 : 1));
  const mtime = new Date(1980, 0, 1);
  const entries = sorted.map(({ name, content, mode }) => [
    name,
    // Made on Unix (3): the upper half of the attributes is the mode of a regular file.
    [content, { os: 3, attrs: (0o100000 | mode) << 16, mtime, level }],
  ]);
  return zipSync(Object.fromEntries(entries));
}

const sumsOf = (folder) =>
  readdirSync(folder)
    .sort()
    .map((name) => `${sha256(readFileSync(join(folder, name)))}  ${name}\n`)
    .join("");

const sha256 = (content) => createHash("sha256").update(content).digest("hex");
