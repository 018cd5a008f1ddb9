// What is made from the code: the pages of docs/api, and the settings of the examples.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { makeReference } from "./reference.mjs";
import { settingsPage } from "./settings-page.mjs";
import { areasPage, errorPage, waysPage } from "./tables.mjs";

const root = resolve(import.meta.dirname, "../..");
const read = (name) => readFileSync(join(root, name), "utf8");
const write = (name, text) => writeFileSync(join(root, name), text);

/** On one line, as the formatter writes it. */
const inline = (value) =>
  JSON.stringify(value, null, 1)
    .replaceAll(/\s+/g, " ")
    .replaceAll("[ ", "[")
    .replaceAll(" ]", "]");

// Those of README.md's quick start, with the example's own providers.
const [cdktf, tsconfig] = [...read("README.md").matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(
  ([, block]) => block,
);
for (const name of readdirSync(join(root, "examples"))) {
  const folder = `examples/${name}`;
  if (!existsSync(join(root, folder, "main.ts"))) continue;
  const file = `${folder}/cdktf.json`;
  const members = Object.entries({ ...JSON.parse(read(file)), ...JSON.parse(cdktf) });
  const lines = members.map(([key, value]) => `  "${key}": ${inline(value)}`);
  write(file, `{\n${lines.join(",\n")}\n}\n`);
  write(`${folder}/tsconfig.json`, tsconfig);
}
write("docs/api/errors.md", errorPage());
write("docs/api/reference.md", settingsPage());
write("docs/api/product-areas.md", areasPage());
write("docs/api/ways.md", waysPage());
write("docs/api/API.md", await makeReference());
// The compiler that has read lib may wait for more, after the minutes of jsii's tools.
process.exit();
