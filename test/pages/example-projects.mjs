// examples/*/cdktf.json and tsconfig.json: those of README.md's quick start, with the example's own
// providers.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Its blocks of JSON, in order. */
const blocksIn = (readme) =>
  [...readme.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, block]) => block);

/** On one line, as the formatter writes it. */
const inline = (value) =>
  JSON.stringify(value, null, 1)
    .replaceAll(/\s+/g, " ")
    .replaceAll("[ ", "[")
    .replaceAll(" ]", "]");

/** The text of each, by its path in the repository. */
export function exampleProjects(root) {
  const [cdktf, tsconfig] = blocksIn(readFileSync(join(root, "README.md"), "utf8"));
  const texts = {};
  for (const name of readdirSync(join(root, "examples"))) {
    const folder = `examples/${name}`;
    if (!existsSync(join(root, folder, "main.ts"))) continue;
    const file = `${folder}/cdktf.json`;
    const own = existsSync(join(root, file)) ? JSON.parse(readFileSync(join(root, file))) : {};
    const members = Object.entries({ ...own, ...JSON.parse(cdktf) });
    const lines = members.map(([key, value]) => `  "${key}": ${inline(value)}`);
    texts[file] = `{\n${lines.join(",\n")}\n}\n`;
    texts[`${folder}/tsconfig.json`] = tsconfig;
  }
  return texts;
}
