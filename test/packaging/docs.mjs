// Renews what is made from the code: docs/api/typescript.md, docs/errors.md, docs/product-areas.md
// and the tables of platforms (npm run docs).
import { resolve } from "node:path";
import { checkApiReport } from "./api-report.mjs";

process.argv.push("--update");
await import("./error-table.mjs");
await import("./product-areas.mjs");
await import("./platform-table.mjs");
checkApiReport(resolve(import.meta.dirname, "../.."), true);
