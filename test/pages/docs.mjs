// What is made from the code: docs/errors.md, docs/api/reference.md, docs/product-areas.md and the
// tables of docs/signing-in.md. `npm run docs` renews it, and docs/api/API.md; with `--check`, this
// fails when one of the others is stale.

import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { errorPage } from "./error-table.mjs";
import { areasPage } from "./product-areas.mjs";
import { makeReference } from "./reference.mjs";
import { settingsPage } from "./settings-page.mjs";
import { waysPage } from "./ways-table.mjs";

const root = resolve(import.meta.dirname, "../..");
const isCheck = process.argv.includes("--check");

for (const [name, toPage] of [
  ["errors", errorPage],
  ["api/reference", settingsPage],
  ["product-areas", areasPage],
  ["signing-in", waysPage],
]) {
  const file = join(root, `docs/${name}.md`);
  const before = readFileSync(file, "utf8");
  const page = toPage(before);
  if (before === page) continue;
  if (!isCheck) writeFileSync(file, page);
  else {
    console.error(`docs/${name}.md is stale: npm run docs`);
    process.exitCode = 1;
  }
}
if (!isCheck) writeFileSync(join(root, "docs/api/API.md"), makeReference());
