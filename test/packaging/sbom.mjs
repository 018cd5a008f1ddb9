// The SBOM of a tarball: CycloneDX, and the same packages as the licence texts name.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { report } from "./problems.mjs";

const CONTENTS = ["$schema", "bomFormat", "components", "dependencies", "metadata", "specVersion"];

export function checkSbom(root, { entries, name }) {
  const textOf = (path) =>
    entries.find((entry) => entry.name === path)?.content.toString("utf8") ?? "";
  const bom = JSON.parse(textOf("dist/sbom.cdx.json"));
  const { version } = JSON.parse(textOf("package.json"));
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const refs = bom.dependencies.map(({ ref }) => ref);
  const described = [bom.metadata.component, ...bom.components].map((each) => each["bom-ref"]);
  const texts = ["dist", "dist/terraform"].map((folder) =>
    textOf(`${folder}/THIRD-PARTY-LICENSES.txt`),
  );
  const problems = [
    // A time or a serial number would change with each build.
    [Object.keys(bom).sort().join(), [...CONTENTS, "version"].sort().join()],
    [Object.keys(bom.metadata).sort().join(), "component,lifecycles"],
    [`${bom.bomFormat} ${bom.specVersion} ${bom.version}`, "CycloneDX 1.6 1"],
    [bom.metadata.component.purl, `pkg:npm/${name}@${version}`],
    [refs.join(), described.join()],
    [String(new Set(refs).size), String(refs.length)],
    [
      bom.dependencies
        .flatMap(({ dependsOn }) => dependsOn)
        .sort()
        .join(),
      refs.slice(1).sort().join(),
    ],
  ]
    .filter(([found, expected]) => found !== expected)
    .map(([found, expected]) => `It has ${found} instead of ${expected}.`);
  for (const { group, name: short, version: its, licenses, evidence, hashes } of bom.components) {
    const full = group === undefined ? short : `${group}/${short}`;
    const title = `\n${full} ${its ?? "in undici"} (${licenses[0].license.id})\n`;
    if (!texts.some((text) => text.includes(title))) problems.push(`No licence text: ${title}`);
    for (const { location } of evidence.occurrences)
      if (textOf(location) === "") problems.push(`${full} is in ${location}, which is not packed.`);
    // llhttp is a part of undici.
    if (its === undefined) continue;
    if (devDependencies[full] !== its)
      problems.push(`${full} ${its} is bundled; devDependencies: ${devDependencies[full]}.`);
    if (!/^[0-9a-f]{128}$/.test(hashes[0].content)) problems.push(`${full} has no SHA-512.`);
  }
  const titles = texts.join("").match(/^-{80}\n.*$/gm) ?? [];
  if (new Set(titles).size !== bom.components.length)
    problems.push(`${new Set(titles).size} licence texts for ${bom.components.length} components`);
  report(problems);
  return bom.components.map(({ name: its, version: of }) => `${its} ${of ?? ""}`.trim()).join(", ");
}
