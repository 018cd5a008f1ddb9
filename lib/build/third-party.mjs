// Other people's code in the bundles, from the bundler's own record: the licence texts, which must
// accompany it, and the SBOM (CycloneDX), from which scanners know what is inside.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { manifestOf, root } from "./project.mjs";

// Licences that allow this with nothing more than their text. A person must check any other one.
const ACCEPTED = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"];

/**
 * The packages that contribute bytes to bundles, by name.
 *
 * @param bundles files of dist, each with esbuild's record
 */
export function bundledPackages(bundles) {
  const found = new Map();
  for (const [, { outputs }] of bundles) {
    const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
    for (const [path] of inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0)) {
      const folder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
      if (folder !== undefined && !found.has(folder)) found.set(folder, packageIn(folder));
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** One text for all of them. */
export function licenceTexts(packages) {
  const head =
    "The files here and in the folders below hold code of these packages, each under its own licence.\n";
  return [
    head,
    ...packages.map(({ name, version, license, text }) => {
      const title = `${name} ${version} (${license})`;
      return `${"-".repeat(80)}\n${title}\n\n${text.trim()}\n`;
    }),
  ].join("\n");
}

/**
 * The SBOM in CycloneDX's JSON. It has neither a time nor a serial number: the same sources give
 * the same bytes.
 */
export function sbom(manifest, packages) {
  const component = ({ name, version, license }) => ({
    type: "library",
    name,
    version,
    licenses: [{ license: { id: license } }],
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
  });
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: component(manifest) },
    components: packages.map(component),
  };
}

function packageIn(folder) {
  const path = join(root, folder);
  const { name, version, license } = manifestOf(path);
  if (!ACCEPTED.includes(license))
    throw new Error(`${name} is bundled and has the licence ${license}: check it, then list it.`);
  const files = readdirSync(path).filter((file) =>
    /^(licen[cs]e|copying|notice)(\.(md|txt))?$/i.test(file),
  );
  if (!files.some((file) => !/^notice/i.test(file)))
    throw new Error(`${name} is bundled and brings no licence text.`);
  const paths = files.sort().map((file) => join(path, file));
  // undici contains llhttp, compiled, without its licence.
  if (name === "undici") paths.push(join(import.meta.dirname, "llhttp-license.txt"));
  const text = paths
    .map((file) => readFileSync(file, "utf8").replaceAll("\r\n", "\n").trim())
    .join("\n\n");
  return { name, version, license, text };
}
