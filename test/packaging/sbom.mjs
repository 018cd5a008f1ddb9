// The SBOM of a tarball: CycloneDX, with the packages whose licence texts it has.

import { manifestOf, root } from "../../lib/build/project.mjs";
import { report } from "./problems.mjs";

export function checkSbom({ entries, name }) {
  const textOf = (path) =>
    entries.find((entry) => entry.name === path)?.content.toString("utf8") ?? "";
  const { bomFormat, metadata, components } = JSON.parse(textOf("dist/sbom.cdx.json"));
  const { devDependencies } = manifestOf(root);
  const licences = ["dist", "dist/terraform"]
    .map((folder) => textOf(`${folder}/THIRD-PARTY-LICENSES.txt`))
    .join("");
  const titles = new Set(licences.match(/^-{80}\n.*$/gm));
  report([
    ...(bomFormat === "CycloneDX" && metadata.component.name === name ? [] : ["It is not of it."]),
    ...(licences.includes("Fedor Indutny") ? [] : ["No licence text: llhttp, in undici"]),
    ...(titles.size === components.length ? [] : [`${titles.size} licence texts`]),
    ...components
      .filter((each) => !(each.version && each.purl.endsWith(each.version)))
      .map((each) => `${each.name} has no version by which scanners find its advisories.`),
    ...components
      .filter((each) => devDependencies[each.name] !== each.version)
      .map((each) => `${each.name} ${each.version} is bundled; package.json has another.`),
    ...components
      .filter((each) => !licences.includes(`\n${each.name} ${each.version} (`))
      .map((each) => `No licence text: ${each.name}`),
  ]);
  return components.map((each) => `${each.name} ${each.version}`).join(", ");
}
