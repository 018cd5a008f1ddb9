// Renews what is made from the code: docs/api/API.md, docs/errors.md, docs/product-areas.md and the
// table of ways (npm run docs).

import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { makeReference } from "./reference.mjs";

process.argv.push("--update");
await import("./error-table.mjs");
await import("./product-areas.mjs");
await import("./ways-table.mjs");
const root = resolve(import.meta.dirname, "../..");
writeFileSync(join(root, "docs/api/API.md"), makeReference(root));
