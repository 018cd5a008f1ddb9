// Renews what is made from the code: docs/api, docs/errors.md, docs/product-areas.md, the tables of
// platforms and llms.txt (npm run docs). With --promise, for a release, also what it promises
// (docs/compatibility.md).

import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { makeReferences } from "../../lib/build/languages/reference.mjs";
import { checkApiReport } from "./api-report.mjs";

const release = process.argv.includes("--promise");
process.argv.push("--update");
await import("./error-table.mjs");
await import("./product-areas.mjs");
await import("./platform-table.mjs");
await import("./ways-table.mjs");
const root = resolve(import.meta.dirname, "../..");
const [own] = makeReferences(root);
for (const [language, text] of own) writeFileSync(join(root, `docs/api/${language}.md`), text);
// It leaves out what the others have.
checkApiReport(root, true);
await import("./llms.mjs");
if (release) {
  const { writePromise } = await import("./promise.mjs");
  await writePromise(root);
}
