// Renews what is made from the code: docs/api.md, docs/errors.md, docs/product-areas.md and
// README's table of error codes (npm run docs).
import { resolve } from "node:path";
import { checkApiReport } from "./api-report.mjs";

process.argv.push("--update");
await import("./error-table.mjs");
await import("./product-areas.mjs");
checkApiReport(resolve(import.meta.dirname, "../.."), true);
