// The licence texts of the packages in a bundle: the licences require that they accompany the code.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

// Licences that allow this with nothing more than their text. A person must check any other one.
const ACCEPTED = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"];

/** One text for all packages that contribute bytes to the outputs of these metafiles. */
export function thirdPartyTexts(root, metafiles) {
  const folders = new Set();
  for (const { outputs } of metafiles) {
    for (const { inputs } of Object.values(outputs)) {
      for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
        const folder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
        if (folder !== undefined && bytesInOutput > 0) folders.add(folder);
      }
    }
  }
  const sections = [...folders].map((folder) => section(join(root, folder)));
  sections.sort((a, b) => (a.title < b.title ? -1 : 1));
  const head =
    "The files here and in the folders below hold code of these packages, each under its own licence.\n";
  return [
    head,
    ...sections.map(({ title, text }) => `${"-".repeat(80)}\n${title}\n\n${text.trim()}\n`),
  ].join("\n");
}

function section(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (!ACCEPTED.includes(license))
    throw new Error(`${name} is bundled and has the licence ${license}: check it, then list it.`);
  const files = readdirSync(folder).filter((file) =>
    /^(licen[cs]e|copying|notice)(\.(md|txt))?$/i.test(file),
  );
  if (!files.some((file) => !/^notice/i.test(file)))
    throw new Error(`${name} is bundled and brings no licence text.`);
  const text = files
    .sort()
    .map((file) => readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim());
  return { title: `${name} ${version} (${license})`, text: text.join("\n\n") };
}
