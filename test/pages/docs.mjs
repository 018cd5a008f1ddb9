// What is made from the code: the pages of docs/api, and the settings of the examples.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { errorPage } from "./error-table.mjs";
import { exampleProjects } from "./example-projects.mjs";
import { areasPage } from "./product-areas.mjs";
import { makeReference } from "./reference.mjs";
import { settingsPage } from "./settings-page.mjs";
import { waysPage } from "./ways-table.mjs";

const root = resolve(import.meta.dirname, "../..");

for (const [name, toText] of Object.entries({
  "docs/api/errors.md": errorPage,
  "docs/api/reference.md": settingsPage,
  "docs/api/product-areas.md": areasPage,
  "docs/api/ways.md": waysPage,
  ...exampleProjects(root),
})) {
  const file = join(root, name);
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  const text = typeof toText === "string" ? toText : toText(before);
  if (before !== text) writeFileSync(file, text);
}
writeFileSync(join(root, "docs/api/API.md"), await makeReference());
// The compiler that has read lib may wait for more, after the minutes of jsii's tools.
process.exit();
